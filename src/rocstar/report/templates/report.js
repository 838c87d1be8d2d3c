/* Adds the theme button, switches in legends, read-outs under the pointer or the arrow keys, and
   sorting and searching of long tables. Everything else on the page works without it. Data enter through textContent only. */
"use strict";
(() => {
  const root = document.documentElement;

  // Theme: the system's choice until the reader makes one.
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("rocstar-theme"); } catch { return null; } };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${dark() ? "light" : "dark"} colours`);
  };
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("rocstar-theme", root.dataset.theme); } catch { /* a private window */ }
    label();
  });
  system.addEventListener("change", label);
  button.hidden = false;
  label();

  // One box for all read-outs.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const show = (children, x, y) => {
    tip.replaceChildren(...children);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const room = root.clientWidth - 8;
    const beside = x + 16 + width > room ? x - 16 - width : x + 16;
    tip.style.left = `${Math.min(Math.max(8, beside), Math.max(8, room - width))}px`;
    tip.style.top = `${Math.max(8, Math.min(y - height / 2, innerHeight - height - 8))}px`;
  };
  // What the page does about an open read-out: `clear` takes it away, `follow` moves it along when
  // the page scrolls under a reader who uses the keyboard.
  let clear = () => {}, follow = null;
  const hide = () => { tip.hidden = true; follow = null; clear(); clear = () => {}; };
  // A finger that lifts also "leaves"; its read-out stays until the next touch or scroll.
  const left = (event) => { if (event.pointerType !== "touch") hide(); };
  addEventListener("scroll", () => (follow ? follow() : hide()), { passive: true });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("pointerdown", hide, { capture: true });

  for (const mark of document.querySelectorAll("[data-tip]")) {
    const over = (event) => show([element("p", mark.dataset.tip)], event.clientX, event.clientY);
    mark.addEventListener("pointermove", over);
    mark.addEventListener("pointerdown", over);
    mark.addEventListener("pointerleave", left);
  }

  // Long tables: a search box above, and headers that sort; numbers by size, gaps last.
  const size = (text) => {
    const number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
    return Number.isNaN(number) ? null : number;
  };
  const order = (a, b, numeric) => {
    if (!numeric) return a.localeCompare(b);
    const [x, y] = [size(a), size(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    return x - y;
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const [body, rows] = [table.tBodies[0], [...table.tBodies[0].rows]];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const numeric = head.classList.contains("n"), cell = (row) => row.cells[i].textContent;
        const gap = (row) => numeric && size(cell(row)) === null;
        rows.sort((a, b) => gap(a) - gap(b) || (down ? -1 : 1) * order(cell(a), cell(b), numeric));
        body.append(...rows);
      });
    });
    const box = element("label", "Search", "search"), input = element("input"), found = element("span");
    input.type = "search";
    found.setAttribute("role", "status");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      const left = rows.filter((row) => !row.hidden).length;
      found.textContent = wanted ? `${left} of ${rows.length}` : "";
    });
    box.append(input, found);
    table.parentElement.before(box);
  }

  for (const figure of document.querySelectorAll("figure")) {
    const off = new Set();

    for (const item of figure.querySelectorAll(".legend li[data-series]")) {
      const series = item.dataset.series;
      if (!series) continue;
      const toggle = element("button");
      toggle.type = "button";
      toggle.setAttribute("aria-pressed", "true");
      toggle.append(...item.childNodes);
      item.append(toggle);
      toggle.addEventListener("click", () => {
        const visible = off.delete(series);
        if (!visible) off.add(series);
        toggle.setAttribute("aria-pressed", String(visible));
        for (const drawn of figure.querySelectorAll("svg [data-series]")) {
          if (drawn.dataset.series === series) drawn.classList.toggle("off", !visible);
        }
      });
    }

    if (!figure.dataset.readout) continue;
    const readout = JSON.parse(figure.dataset.readout);
    const unit = readout.unit || "";
    const value = (y) => (readout.percent ? `${(100 * y).toFixed(1)} %` : y.toFixed(3));
    const between = (xs, ys, x, step) => {
      if (x < xs[0]) return ys[0];
      let low = 0, high = xs.length - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (xs[middle] <= x) low = middle; else high = middle;
      }
      if (step) return xs[high] <= x ? ys[high] : ys[low];
      const width = xs[high] - xs[low];
      return width === 0 ? ys[high] : ys[low] + (ys[high] - ys[low]) * Math.min(1, (x - xs[low]) / width);
    };
    const bin = (x) => {
      const last = readout.edges.length - 2;
      const found = readout.edges.findIndex((edge, i) => i > 0 && x < edge) - 1;
      return found < 0 ? last : Math.min(found, last);
    };
    const read = (x) => {
      if (readout.mode === "step") {
        const i = bin(x);
        const [left, right] = [readout.edges[i], readout.edges[i + 1]];
        return {
          x: (left + right) / 2,
          head: `${readout.x} ${left.toFixed(1)}${unit} to ${right.toFixed(1)}${unit}`,
          values: readout.series.map((s) => s.y[i]),
        };
      }
      return {
        x,
        head: `${readout.x} ${x.toFixed(readout.digits)}${unit}`,
        values: readout.series.map((s) => between(s.x, s.y, x, s.step)),
      };
    };

    for (const svg of figure.querySelectorAll("svg.curves")) {
      const scale = (text) => {
        const [low, high, start, end] = text.split(" ").map(Number);
        return { low, high, start, end, to: (v) => start + ((v - low) / (high - low)) * (end - start) };
      };
      const [sx, sy] = [scale(svg.dataset.x), scale(svg.dataset.y)];
      const layer = document.createElementNS("http://www.w3.org/2000/svg", "g");
      layer.setAttribute("class", "cross");
      svg.append(layer);
      const draw = (name, attributes) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, v] of Object.entries(attributes)) made.setAttribute(key, v);
        layer.append(made);
      };
      let at = sx.low + (sx.high - sx.low) / 2;

      const readAt = (x, clientX, clientY) => {
        at = Math.min(Math.max(x, sx.low), sx.high);
        const found = read(at);
        hide();
        clear = () => layer.replaceChildren();
        const px = sx.to(found.x);
        draw("line", { x1: px, x2: px, y1: sy.start, y2: sy.end });
        const rows = element("dl");
        const told = [found.head];
        readout.series.forEach((s, i) => {
          if (off.has(s.key)) return;
          draw("circle", { cx: px, cy: sy.to(found.values[i]), r: 4.5, class: s.style });
          const name = element("dt", s.label, s.style);
          rows.append(name, element("dd", value(found.values[i])));
          told.push(`${s.label} ${value(found.values[i])}`);
        });
        svg.setAttribute("aria-valuenow", at.toFixed(3));
        svg.setAttribute("aria-valuetext", told.join(", "));
        const box = svg.getBoundingClientRect();
        const factor = box.width / svg.viewBox.baseVal.width;
        show([element("p", found.head), rows],
          clientX ?? box.left + px * factor, clientY ?? box.top + box.height / 2);
        if (clientX === undefined) follow = () => readAt(at);
      };
      const pointed = (event) => {
        const box = svg.getBoundingClientRect();
        const px = ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
        readAt(sx.low + ((px - sx.start) / (sx.end - sx.start)) * (sx.high - sx.low), event.clientX, event.clientY);
      };

      // A slider is what this is to a keyboard or a screen reader.
      svg.setAttribute("role", "slider");
      svg.setAttribute("tabindex", "0");
      svg.setAttribute("aria-valuemin", sx.low);
      svg.setAttribute("aria-valuemax", sx.high);
      svg.setAttribute("aria-valuenow", at);
      svg.addEventListener("pointermove", pointed);
      svg.addEventListener("pointerdown", pointed);
      svg.addEventListener("pointerleave", left);
      svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) readAt(at); });
      svg.addEventListener("blur", hide);
      svg.addEventListener("keydown", (event) => {
        const step = (sx.high - sx.low) / (event.shiftKey ? 10 : readout.mode === "step" ? readout.edges.length - 1 : 100);
        const moves = {
          ArrowLeft: at - step, ArrowDown: at - step, ArrowRight: at + step, ArrowUp: at + step,
          Home: sx.low, End: sx.high,
        };
        if (!(event.key in moves)) return;
        event.preventDefault();
        readAt(moves[event.key]);
      });
    }
  }
})();

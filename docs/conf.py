"""Build of the documentation: ``make docs``. Warnings are errors."""

from __future__ import annotations

import html
import inspect
import os
import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

import rocstar

sys.path.insert(0, str(Path(__file__).parent))  # for reference and gallery_style
from reference import reference_page

project = "rocstar"
copyright = "the rocstar developers"
author = "the rocstar developers"
release = version = rocstar.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**sg_execution_times.rst"]
templates_path = ["_templates"]

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc states the types in words
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery", "../examples/tutorial"],
    "gallery_dirs": ["gallery", "tutorial"],
    "filename_pattern": r"/plot_",  # all of them run; one that fails fails the build
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "gallery_style.house_style"),
    "image_srcset": ["2x"],
    "doc_module": ("rocstar",),
    "backreferences_dir": "gallery/backreferences",
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "min_reported_time": 3600,  # times on a build machine tell a reader nothing
}

html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["math.css", "site.css"]
html_theme = "furo"
html_title = f"rocstar {version}"
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")  # the newest version's page
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0f766e", "color-brand-content": "#0f766e"},
    "dark_css_variables": {"color-brand-primary": "#2dd4bf", "color-brand-content": "#2dd4bf"},
}

# Guides in reading order; the index lists those that exist.
GUIDES = (
    "quickstart",
    "how-to-choose",
    "certificates",
    "measures",
    "watching",
    "cli",
    "automation",
    "scaling",
    "reliability",
    "extending",
)


def _write_reference() -> None:
    target = Path(__file__).parent / "api" / "index.rst"
    target.parent.mkdir(exist_ok=True)
    text = reference_page()
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


# What docutils' converter does not know, in words that it does.
DIALECT = {
    r"\dots": r"\ldots",
    r"\Big[": r"\bigl[",
    r"\Big]": r"\bigr]",
    "½": r"\frac{1}{2}",
    "¼": r"\frac{1}{4}",
}


def _mathml(node: nodes.Element, block: bool) -> str:
    """A formula as MathML, which browsers draw without a script or a network."""
    tex = node.astext()
    for unknown, known in DIALECT.items():
        tex = tex.replace(unknown, known)
    # TeX reads \frac12 as one half; the converter would take 12 for the numerator.
    tex = re.sub(r"(\\[td]?frac)\s*(\d)", r"\1{\2}", tex)
    tex = re.sub(r"(\\[td]?frac\{\d\})(\d)", r"\1{\2}", tex)
    try:
        return tex2mathml(tex, as_block=block)
    except MathError as error:
        logging.getLogger(__name__).warning("formula %r: %s", tex, error, location=node)
        return f"<code>{html.escape(tex)}</code>"


def _inline_math(writer: HTML5Translator, node: nodes.Element) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block_math(writer: HTML5Translator, node: nodes.Element) -> None:
    writer.body.append(f'<div class="math">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def _list_guides(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == "index":
        pages = [page for page in GUIDES if (Path(__file__).parent / f"{page}.md").exists()]
        source[0] = source[0].replace("GUIDES\n", "".join(f"{page}\n" for page in pages))


def _skip(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool:
    """Leave out scikit-learn's generated setters, whose text links into its own user guide."""
    return skip or (name.startswith("set_") and name.endswith("_request"))


def _first_paragraph_only(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Cut docstrings inherited from other packages: their links lead into their own guides."""
    if what in ("method", "property") and not _ours(obj) and "" in lines:
        del lines[lines.index("") :]


def _ours(obj: object) -> bool:
    function = inspect.unwrap(obj.fget if isinstance(obj, property) and obj.fget else obj)
    return str(getattr(function, "__module__", "rocstar")).startswith("rocstar")


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", (_inline_math, None), (_block_math, None))
    app.connect("source-read", _list_guides)
    app.connect("env-get-outdated", lambda *_: ["index"])  # a new guide changes what it lists
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _first_paragraph_only, priority=900)


_write_reference()

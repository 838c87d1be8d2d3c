"""One Triton kernel per pass over float32 rows on a CUDA device: each row is read once.

A pass is bound by memory: margin, slope and gradient by separate operations read the rows twice and
a dozen vectors beside them. `evaluate_block` in `rocstar.fitting.problem` is the reference and the
fallback; only PyTorch rows on a device where Triton is installed come here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
import triton
import triton.language as tl

from rocstar.checks import FloatArray
from rocstar.fitting.arrays import double
from rocstar.fitting.losses import HALF_PI, LogRatio, Loss, Tangent
from rocstar.fitting.rows import Block


class Shape(NamedTuple):
    """How a pass is laid out; the numbers were fastest on an H200 at 64 columns."""

    widest: int  # a program keeps whole rows, or a whole Hessian, at hand
    tile: int  # values of the rows that a program holds at a time
    programs: int  # per multiprocessor
    warps: int


SHAPES = {1: Shape(512, 4096, 8, 2), 2: Shape(128, 4096, 4, 4)}
"""By order of the pass."""


@triton.jit
def _pointwise(u, LOG: tl.constexpr, HALF_PI: tl.constexpr):
    """Sine, slope, curvature and charge at a margin: `losses.Tangent` and `losses.LogRatio`."""
    if LOG:
        decay = tl.exp(-tl.minimum(tl.abs(u), 60.0))
        norm = tl.sqrt(1.0 + decay * decay)
        large = 1.0 / norm
        small = decay / norm
        sine = tl.where(u >= 0, large, small)
        cosine = tl.where(u >= 0, small, large)
        slope = -sine * cosine * cosine
        curvature = slope * (cosine * cosine - 2.0 * sine * sine)
        charge = tl.zeros_like(u)
    else:
        slope = -tl.cos(tl.minimum(tl.maximum(u, 0.0), HALF_PI))
        sine = tl.sqrt(tl.maximum(1.0 - slope * slope, 0.0))
        curvature = tl.where(u > HALF_PI, 0.0, sine)
        charge = tl.maximum(-u, 0.0)
    return sine, slope, curvature, charge


@triton.jit
def _pass(
    phi,
    sign,
    weights,
    slopes,
    sums,
    gram,
    n_rows,
    n_features,
    stride,
    n_tiles,
    intercept,
    center,
    damping,
    LOG: tl.constexpr,
    HESSIAN: tl.constexpr,
    ROWS: tl.constexpr,
    WIDTH: tl.constexpr,
    HALF_PI: tl.constexpr,
):
    """A program adds up every ``num_programs``-th tile; its sums are added up afterwards."""
    program = tl.program_id(0)
    columns = tl.arange(0, WIDTH)
    inside = columns < n_features
    w = tl.load(slopes + columns, mask=inside, other=0.0)
    gradient = tl.zeros((WIDTH,), tl.float64)
    edge = tl.zeros((WIDTH,), tl.float64)
    if HESSIAN:
        square = tl.zeros((WIDTH, WIDTH), tl.float32)
    pulls = tl.zeros((), tl.float64)
    curvatures = tl.zeros((), tl.float64)
    arc = tl.zeros((), tl.float64)
    charges = tl.zeros((), tl.float64)
    for tile in range(program, n_tiles, tl.num_programs(0)):
        rows = tile.to(tl.int64) * ROWS + tl.arange(0, ROWS)
        valid = rows < n_rows
        x = tl.load(
            phi + rows[:, None] * stride + columns[None, :],
            mask=valid[:, None] & inside[None, :],
            other=0.0,
        )
        s = tl.load(sign + rows, mask=valid, other=1.0)
        c = tl.load(weights + rows, mask=valid, other=0.0)
        u = center + s * (tl.sum(x * w[None, :], axis=1) + intercept - center)
        sine, slope, curvature, charge = _pointwise(u, LOG, HALF_PI)
        pull = c * slope * s
        gradient += tl.sum(x * pull[:, None], axis=0).to(tl.float64)
        pulls += tl.sum(pull, axis=0).to(tl.float64)
        arc += tl.sum(c * sine, axis=0).to(tl.float64)
        charges += tl.sum(c * charge, axis=0).to(tl.float64)
        if HESSIAN:
            bent = c * tl.where(tl.abs(curvature) < damping, damping, curvature)
            bent_rows = x * bent[:, None]
            edge += tl.sum(bent_rows, axis=0).to(tl.float64)
            curvatures += tl.sum(bent, axis=0).to(tl.float64)
            square += tl.dot(tl.trans(bent_rows), x, input_precision="tf32x3")
    # The sum over the rows of a column of ones, the intercept's, follows the columns' own.
    mine = sums + program * 2 * (n_features + 2)
    tl.store(mine + columns, gradient, mask=inside)
    tl.store(mine + n_features, pulls)
    tl.store(mine + n_features + 1, arc)
    if HESSIAN:
        tl.store(mine + n_features + 2 + columns, edge, mask=inside)
        tl.store(mine + 2 * n_features + 2, curvatures)
        place = program * WIDTH * WIDTH + columns[:, None] * WIDTH + columns[None, :]
        tl.store(gram + place, square)
    tl.store(mine + 2 * n_features + 3, charges - arc)


def takes(block: Block, loss: Loss, order: int) -> bool:
    """Whether the kernel computes this pass: rows of 4 bytes in rows of memory, a known loss."""
    phi = block.phi
    return (
        isinstance(phi, torch.Tensor)
        and phi.is_cuda
        and phi.dtype == torch.float32
        and phi.stride(1) == 1
        and 0 < phi.shape[1] <= SHAPES[order].widest
        and type(loss) in (Tangent, LogRatio)
    )


def sums_of(
    block: Block, w: FloatArray, loss: Loss, fit_intercept: bool, order: int, damping: float
) -> tuple[Any, Any, Any, Any]:
    """Value, gradient, Hessian or None, and arc length of a block, in float64 on its device."""
    phi, sign, weights = block.phi, block.sign.contiguous(), block.weights.contiguous()
    n, d = phi.shape
    shape = SHAPES[order]
    width = max(16, triton.next_power_of_2(d))
    rows = max(16, shape.tile // width)
    n_tiles = triton.cdiv(n, rows)
    programs = min(n_tiles, shape.programs * _multiprocessors(phi.device))
    # A pass is a few dozen blocks: what Python does for each must take less than the device does.
    sums = phi.new_empty((programs, 2 * (d + 2)), dtype=torch.float64)
    gram = phi.new_empty((programs if order > 1 else 0, width, width))
    with torch.cuda.device(phi.device):
        _pass[(programs,)](
            phi, sign, weights, _placed(w[:d].tobytes(), phi.device), sums, gram,
            n, d, phi.stride(0), n_tiles,
            float(w[d]) if fit_intercept else 0.0, float(loss.center), float(damping),
            LOG=isinstance(loss, LogRatio), HESSIAN=order > 1, ROWS=rows, WIDTH=width,
            HALF_PI=HALF_PI, num_warps=shape.warps,
        )  # fmt: skip
    total = sums.sum(dim=0)
    size = d + fit_intercept
    hessian = None
    if order > 1:
        hessian = double(gram).sum(dim=0)[:d, :d]
        hessian = 0.5 * (hessian + hessian.T)
        if fit_intercept:
            edge, corner = total[d + 2 : 2 * d + 2][:, None], total[2 * d + 2][None, None]
            lower = torch.cat([edge.T, corner], dim=1)
            hessian = torch.cat([torch.cat([hessian, edge], dim=1), lower])
    return total[2 * d + 3], total[:size], hessian, total[d + 1]


@lru_cache(maxsize=4)
def _placed(w: bytes, device: Any) -> Any:
    """Coefficients on a device, copied once for all blocks of a pass."""
    return torch.asarray(np.frombuffer(w).astype(np.float32), device=device)


@lru_cache
def _multiprocessors(device: Any) -> int:
    return int(torch.cuda.get_device_properties(device).multi_processor_count)

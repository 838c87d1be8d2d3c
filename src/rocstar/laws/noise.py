"""The log ratio after a share of each class's labels has been flipped."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rocstar.checks import FloatArray
from rocstar.laws.atoms import AtomicRatio
from rocstar.laws.ratio import LARGEST_LOG, Both, Nodes, RatioLaw


def noisy_log_ratio(z: FloatArray, flip_pos: float, flip_neg: float) -> FloatArray:
    """Log ratio of the mixed laws where that of the clean ones is ``z``."""
    with np.errstate(divide="ignore"):
        log_a, log_b = np.log(flip_pos), np.log(flip_neg)
        log_1a, log_1b = np.log1p(-flip_pos), np.log1p(-flip_neg)
    with np.errstate(invalid="ignore"):
        noisy = np.logaddexp(log_1a + z, log_a) - np.logaddexp(log_1b, log_b + z)
    noisy = np.where(z == np.inf, log_1a - log_b, noisy)
    return np.asarray(np.where(z == -np.inf, log_a - log_1b, noisy))


class NoisyRatio(RatioLaw):
    """``p' = (1−a)p + aq`` and ``q' = (1−b)q + bp`` of a pair whose ratio has a density."""

    # With `a + b < 1` the new ratio increases with the old one, so thresholds correspond.

    def __init__(self, clean: RatioLaw, flip_pos: float, flip_neg: float) -> None:
        self.clean, self.flip_pos, self.flip_neg = clean, flip_pos, flip_neg

    @cached_property
    def accuracy(self) -> float:
        """That of the clean law."""
        return self.clean.accuracy

    def _mix(self, both: Both) -> Both:
        a, b = self.flip_pos, self.flip_neg
        return Both((1 - a) * both.pos + a * both.neg, (1 - b) * both.neg + b * both.pos)

    def _noisy_z(self, z: FloatArray) -> FloatArray:
        return noisy_log_ratio(z, self.flip_pos, self.flip_neg)

    def _clean_z(self, z: FloatArray) -> FloatArray:
        """Invert `_noisy_z`; log ratios that noise cannot reach become infinite."""
        a, b = self.flip_pos, self.flip_neg
        r = np.exp(np.clip(z, -LARGEST_LOG, LARGEST_LOG))
        with np.errstate(divide="ignore", invalid="ignore"):
            # r' = ((1−a)r + a)/((1−b) + br), solved for r.
            top, bottom = r * (1 - b) - a, (1 - a) - r * b
            clean = np.log(np.maximum(top, 0.0)) - np.log(np.maximum(bottom, 0.0))
        return np.asarray(clean, dtype=np.float64)

    @cached_property
    def nodes(self) -> Nodes:
        """The clean nodes with their masses mixed."""
        z, pos, neg = self.clean.nodes
        return Nodes(self._noisy_z(z), *self._mix(Both(pos, neg)))

    @cached_property
    def node_cdf(self) -> Both:
        """The clean CDFs at the clean nodes, mixed: no inversion needed."""
        return self._mix(self.clean.node_cdf)

    def cdf(self, z: FloatArray) -> Both:
        """CDFs of the noisy log ratio."""
        return self._mix(self.clean.cdf(self._clean_z(z)))

    def sf(self, z: FloatArray) -> Both:
        """Survival functions of the noisy log ratio."""
        return self._mix(self.clean.sf(self._clean_z(z)))

    def density(self, z: FloatArray) -> Both:
        """Densities of the noisy log ratio."""
        a, b = self.flip_pos, self.flip_neg
        clean = self._clean_z(z)
        inside = np.isfinite(clean)
        safe = np.where(inside, clean, 0.0)
        r = np.exp(np.clip(safe, -LARGEST_LOG / 2, LARGEST_LOG / 2))
        # dz'/dz = (1 − a − b) r / ((1−a)r + a) / ((1−b) + br)
        speed = (1 - a - b) * r / ((1 - a) * r + a) / ((1 - b) + b * r)
        pos, neg = self._mix(self.clean.density(safe))
        return Both(np.where(inside, pos / speed, 0.0), np.where(inside, neg / speed, 0.0))

    def threshold(self, fpr: FloatArray) -> FloatArray:
        """Found on the scale of the clean ratio, where no threshold is crowded against a limit."""
        return self._noisy_z(self.clean.level(lambda both: self._mix(both).neg, fpr))


def with_label_noise(clean: RatioLaw, flip_pos: float, flip_neg: float) -> RatioLaw:
    """The law of the log ratio after shares ``flip_pos`` and ``flip_neg`` of labels are flipped."""
    if flip_pos + flip_neg > 1 - 1e-12:
        return AtomicRatio.identical()
    if not isinstance(clean, AtomicRatio):
        return NoisyRatio(clean, flip_pos, flip_neg)
    _, pos, neg = clean.nodes
    noisy = AtomicRatio(
        (1 - flip_pos) * pos + flip_pos * neg, (1 - flip_neg) * neg + flip_neg * pos
    )
    noisy.method_accuracy = clean.accuracy
    return noisy

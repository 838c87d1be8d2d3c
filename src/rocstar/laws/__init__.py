"""Laws with known truth: sample them, and compare any estimate with the exact value.

A law is a positive law ``p`` and a negative law ``q``. Its arc length, total variation, maximal AUC
and further divergences are known to ten digits or so, whatever the dimension, because all of them
depend on the pair only through the law of the one-dimensional log ratio (`rocstar.laws.ratio`).

To add a family, derive from `Law`: give its `dim`, its log ratio, a sampler, and its `ratio_law`.
The last is `AtomicRatio` if the ratio takes finitely many values, `LineRatio` if it is a function
of one coordinate with known CDFs, `QuadraticRatio` if it is a quadratic form of Gaussians, and
`SampledRatio` failing all that; truths, curves and stated accuracy then come by themselves.

More than two laws are a `LawFamily`; its truths are those of theory §15.
"""

from __future__ import annotations

from rocstar.laws.base import Curve, Law, Tangent
from rocstar.laws.families import FiniteFamily, LawFamily
from rocstar.laws.figures import draw_geometry
from rocstar.laws.finite import DiscretePair, UniformPair
from rocstar.laws.gaussian import GaussianPair
from rocstar.laws.gaussian_families import GaussianFamily, MixtureFamily, SimplexFamily
from rocstar.laws.mixture import GaussianMixturePair
from rocstar.laws.student import StudentTPair
from rocstar.laws.suite import suite
from rocstar.laws.wrappers import LabelNoise, Padded, Warped

__all__ = [
    "Curve",
    "DiscretePair",
    "FiniteFamily",
    "GaussianFamily",
    "GaussianMixturePair",
    "GaussianPair",
    "LabelNoise",
    "Law",
    "LawFamily",
    "MixtureFamily",
    "Padded",
    "SimplexFamily",
    "StudentTPair",
    "Tangent",
    "UniformPair",
    "Warped",
    "draw_geometry",
    "suite",
]

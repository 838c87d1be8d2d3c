"""Pairs of laws with known truth: sample them, and compare any estimate with the exact value."""

from __future__ import annotations

from rocstar.laws.base import Law
from rocstar.laws.gaussian import GaussianPair
from rocstar.laws.suite import suite

__all__ = ["GaussianPair", "Law", "suite"]

"""Curves and bounds: pure functions of scores, curves and numbers."""

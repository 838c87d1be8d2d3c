"""Units of distances."""

from __future__ import annotations

import numpy as np
import pytest

from rocstar import tv_bounds
from rocstar.watching.units import check_settings, implied_divergence, tolerance_in_tv


@pytest.mark.parametrize("tolerance", [0.0, 0.05, 0.3])
def test_units_agree_with_the_sharp_bounds(tolerance):
    tv = tolerance_in_tv(tolerance, "divergence")
    assert tv == pytest.approx(tv_bounds(np.sqrt(2) + tolerance).high)
    assert implied_divergence(tv) == pytest.approx(tolerance)
    assert tolerance_in_tv(tolerance, "tv") == tolerance


def test_a_tolerated_fall_of_the_auc_needs_a_score():
    with pytest.raises(ValueError, match="`auc_drop` must come with `score`"):
        check_settings(0.0, "tv", 1, 0.1, None, None)

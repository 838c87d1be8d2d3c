"""Which rows of a system of inequalities can be made positive."""

import numpy as np
import pytest

from rocstar.fitting.solvers.cone import positive_face


def test_faces_of_one_direction():
    assert positive_face(np.array([[1.0], [2.0]])).free.tolist() == [True, True]
    assert positive_face(np.array([[1.0], [-2.0]])).free.tolist() == [False, False]


def test_face_of_rows_that_fight_each_other():
    a = np.array([[1.0, 0.0], [1.0, 5.0], [0.0, 1.0], [0.0, -1.0], [0.0, 0.0]])
    face = positive_face(a)
    assert face.free.tolist() == [True, True, False, False, False]
    assert (a[face.free] @ face.point > 0).all()
    assert a[~face.free] @ face.point == pytest.approx(np.zeros(3), abs=1e-12)

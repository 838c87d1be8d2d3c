"""adapt: KLIEP and ULSIF as instance weights of the negatives toward the positives."""

from __future__ import annotations

import numpy as np
from adapt.instance_based import KLIEP, ULSIF
from serving import angle_of_ratio, plugged_in, serve

SHARES = (0.25, 0.5, 1.0, 2.0)  # of the median squared distance


def gammas(X: np.ndarray) -> list[float]:
    rows = X[:: max(1, len(X) // 500)]
    squares = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    median = np.median(squares[squares > 0])
    return [float(1 / (share * median)) for share in SHARES]


def fit(make):
    """p/q where the source is q and the target is p; columns are scaled first."""

    def fitted(X: np.ndarray, y: np.ndarray):
        centre, scale = X.mean(axis=0), X.std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        Z = (X - centre) / scale
        model = make(gammas(Z))
        model.fit_weights(Z[y == 0], Z[y == 1])
        return lambda new: angle_of_ratio(np.ravel(model.predict_weights((new - centre) / scale)))

    return fitted


def kliep(widths: list[float]) -> KLIEP:
    return KLIEP(kernel="rbf", gamma=widths, random_state=0, verbose=0)


def ulsif(widths: list[float]) -> ULSIF:
    return ULSIF(
        kernel="rbf", gamma=widths, lambdas=np.logspace(-3, 1, 5), random_state=0, verbose=0
    )


if __name__ == "__main__":
    serve(
        {"angles": {"adapt KLIEP": plugged_in(fit(kliep)), "adapt ULSIF": plugged_in(fit(ulsif))}},
        ("adapt", "numpy"),
    )

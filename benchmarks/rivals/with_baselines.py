"""The paper's rivals as this package implements them: closed-form pairwise squares, and SPAUC."""

from __future__ import annotations

from serving import serve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tuning import ranked

from rocstar.baselines import SPAUC, PairwiseSquaredAUC

ALPHAS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]


def scaled(model):
    return make_pipeline(StandardScaler(), model)


if __name__ == "__main__":
    serve(
        {
            "rank": {
                "PairwiseSquaredAUC": ranked(
                    scaled(PairwiseSquaredAUC()), {"pairwisesquaredauc__alpha": ALPHAS}
                ),
                "SPAUC": ranked(
                    scaled(SPAUC(n_epochs=5, random_state=0)), {"spauc__alpha": [1e-4, 1e-2]}
                ),
            }
        },
        ("rocstar", "numpy"),
    )

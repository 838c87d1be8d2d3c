"""LibAUC: a linear score by AUCM loss and PESG, tuned."""

from __future__ import annotations

import numpy as np
import torch
from libauc.losses import AUCMLoss
from libauc.optimizers import PESG
from serving import serve
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from tuning import ranked

torch.set_num_threads(1)


class LinearAUCM(ClassifierMixin, BaseEstimator):
    """Batches of 64, half of them positive as LibAUC's sampler makes them; two step lengths."""

    def __init__(self, lr: float = 0.1, weight_decay: float = 1e-4, steps: int = 400) -> None:
        self.lr = lr
        self.weight_decay = weight_decay
        self.steps = steps

    def fit(self, X: np.ndarray, y: np.ndarray) -> LinearAUCM:
        torch.manual_seed(0)
        rng = np.random.default_rng(0)
        self.classes_ = np.unique(y)
        self.scaler_ = StandardScaler().fit(X)
        rows = torch.as_tensor(self.scaler_.transform(X), dtype=torch.float32)
        labels = torch.as_tensor(y, dtype=torch.float32)[:, None]
        pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        self.model_ = torch.nn.Linear(X.shape[1], 1)
        loss = AUCMLoss()
        step = PESG(
            self.model_.parameters(),
            loss_fn=loss,
            lr=self.lr,
            weight_decay=self.weight_decay,
            verbose=False,
            device=torch.device("cpu"),
        )
        for k in range(self.steps):
            if k == self.steps // 2:
                step.update_regularizer(decay_factor=10)
            batch = np.concatenate([rng.choice(pos, 32), rng.choice(neg, 32)])
            value = loss(torch.sigmoid(self.model_(rows[batch])), labels[batch])
            step.zero_grad()
            value.backward()
            step.step()
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        rows = torch.as_tensor(self.scaler_.transform(X), dtype=torch.float32)
        with torch.no_grad():
            return self.model_(rows).numpy().ravel().astype(float)


GRID = {"lr": [0.03, 0.3], "weight_decay": [1e-4, 1e-2]}

if __name__ == "__main__":
    serve(
        {"rank": {"LibAUC linear": ranked(LinearAUCM(), GRID)}}, ("libauc", "torch", "scikit-learn")
    )

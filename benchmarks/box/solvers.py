"""The box problem's solver beside IPOPT, trust-constr and SLSQP: time and reached objective.

    OMP_NUM_THREADS=1 python benchmarks/box/solvers.py [--rivals ipopt ipopt-lifted ...]

Seconds are of CPU time in one thread, so that other work on the machine hardly matters. Needs
cyipopt for IPOPT. Writes results/solvers.csv and results/gram_passes.csv.
"""

from __future__ import annotations

import argparse
import csv
import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import LinearConstraint, minimize
from scipy.sparse import bmat, csr_matrix, eye
from sklearn.metrics.pairwise import rbf_kernel

from rocstar.fitting.box import BoxProblem
from rocstar.fitting.solvers.interior_point import solve

HERE = Path(__file__).parent
H = np.pi / 2
LIMIT = 40.0  # CPU seconds after which trust-constr is stopped where it stands


# ------------------------------------------------------------------ problems, named and seeded


def gaussian(n: int, d: int, alpha: float, seed: int, fit_intercept: bool = True) -> BoxProblem:
    rng = np.random.default_rng(seed)
    y = np.arange(n) < n // 2
    x = rng.standard_normal((n, d)) + 0.3 * y[:, None]
    if not fit_intercept:  # the paper's setting: features that are not negative, as pixels are
        x = np.abs(x)
    return BoxProblem(x, y, np.where(y, 1 / y.sum(), 1 / (~y).sum()), alpha, fit_intercept)


def kernel(n: int, alpha: float, seed: int, fit_intercept: bool = True) -> BoxProblem:
    linear = gaussian(n, 5, alpha, seed)
    values, vectors = np.linalg.eigh(rbf_kernel(linear.phi, gamma=0.1))
    kept = values > 1e-10 * values[-1]
    phi = vectors[:, kept] * np.sqrt(values[kept])
    return BoxProblem(phi, linear.positive, linear.weights, alpha, fit_intercept)


PROBLEMS: dict[str, Callable[[], BoxProblem]] = {
    "linear-1100-20": lambda: gaussian(1100, 20, 1e-3, 0),
    "linear-1100-20-free": lambda: gaussian(1100, 20, 0.0, 1),
    "linear-1100-50": lambda: gaussian(1100, 50, 1e-3, 2),
    "linear-1100-50-free": lambda: gaussian(1100, 50, 0.0, 3),
    "positive-1100-50-free": lambda: gaussian(1100, 50, 0.0, 4, fit_intercept=False),
    "kernel-500": lambda: kernel(500, 1e-3, 5, fit_intercept=False),  # as in the paper
    "kernel-500-light": lambda: kernel(500, 1e-5, 6, fit_intercept=False),
    "kernel-500-intercept": lambda: kernel(500, 1e-3, 5),  # 496 features
    "kernel-500-intercept-full": lambda: kernel(500, 1e-3, 6),  # 500
}


# ------------------------------------------------------------------ one adapter per rival


class Plain:
    """The problem as any general solver sees it."""

    def __init__(self, problem: BoxProblem) -> None:
        n, d = problem.phi.shape
        self.problem = problem
        self.a = np.column_stack([problem.phi, np.ones(n)])[:, : problem.n_coefficients]
        self.ridge = np.append(np.full(d, problem.alpha), 0.0)[: problem.n_coefficients]

    def objective(self, w: np.ndarray) -> float:
        return self.problem.value(w)

    def gradient(self, w: np.ndarray) -> np.ndarray:
        return self.a.T @ self.problem.losses.slope(self.a @ w) + self.ridge * w

    def full_hessian(self, w: np.ndarray) -> np.ndarray:
        curvature = self.problem.losses.curvature(np.clip(self.a @ w, 0, H))
        half = self.a * np.sqrt(curvature)[:, None]
        return half.T @ half + np.diag(self.ridge)

    # What IPOPT asks for.
    def constraints(self, w: np.ndarray) -> np.ndarray:
        return self.a @ w

    def jacobian(self, w: np.ndarray) -> np.ndarray:
        return self.a.ravel()

    def hessianstructure(self) -> tuple[np.ndarray, np.ndarray]:
        return np.tril_indices(self.a.shape[1])

    def hessian(self, w: np.ndarray, multipliers: np.ndarray, factor: float) -> np.ndarray:
        return factor * self.full_hessian(w)[self.hessianstructure()]


class Lifted:
    """The same with one variable an angle: Hessian diagonal, angles bounded, rows equalities."""

    def __init__(self, problem: BoxProblem) -> None:
        self.plain = Plain(problem)
        n, self.p = self.plain.a.shape
        jacobian = bmat([[csr_matrix(self.plain.a), -eye(n)]]).tocoo()
        self.structure, self.data = (jacobian.row, jacobian.col), jacobian.data
        self.losses = problem.losses

    def objective(self, x: np.ndarray) -> float:
        w = x[: self.p]
        return self.losses.value(x[self.p :]).sum() + 0.5 * (self.plain.ridge * w) @ w

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([self.plain.ridge * x[: self.p], self.losses.slope(x[self.p :])])

    def constraints(self, x: np.ndarray) -> np.ndarray:
        return self.plain.a @ x[: self.p] - x[self.p :]

    def jacobianstructure(self) -> tuple[np.ndarray, np.ndarray]:
        return self.structure

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        return self.data

    def hessianstructure(self) -> tuple[np.ndarray, np.ndarray]:
        diagonal = np.arange(self.p + len(self.plain.a))
        return diagonal, diagonal

    def hessian(self, x: np.ndarray, multipliers: np.ndarray, factor: float) -> np.ndarray:
        curvature = self.losses.curvature(np.clip(x[self.p :], 0, H))
        return factor * np.concatenate([self.plain.ridge, curvature])


def _ipopt(nlp: object, x0: np.ndarray) -> np.ndarray:
    for option, value in {
        "print_level": 0,
        "sb": "yes",
        "tol": 1e-9,
        "bound_relax_factor": 0.0,
        "hessian_constant": "no",
        "jac_d_constant": "yes",
        "jac_c_constant": "yes",
    }.items():
        nlp.add_option(option, value)  # type: ignore[attr-defined]
    return nlp.solve(x0)[0]  # type: ignore[attr-defined]


def by_ipopt(problem: BoxProblem) -> np.ndarray:
    import cyipopt

    plain = Plain(problem)
    n, p = plain.a.shape
    nlp = cyipopt.Problem(n=p, m=n, problem_obj=plain, cl=np.zeros(n), cu=np.full(n, H))
    return _ipopt(nlp, problem.safe)


def by_ipopt_lifted(problem: BoxProblem) -> np.ndarray:
    import cyipopt

    lifted = Lifted(problem)
    n, p = lifted.plain.a.shape
    free = np.full(p, 1e20)
    nlp = cyipopt.Problem(
        n=p + n,
        m=n,
        problem_obj=lifted,
        lb=np.concatenate([-free, np.zeros(n)]),
        ub=np.concatenate([free, np.full(n, H)]),
        cl=np.zeros(n),
        cu=np.zeros(n),
    )
    return _ipopt(nlp, np.concatenate([problem.safe, np.full(n, H / 2)]))[:p]


def by_trust_constr(problem: BoxProblem) -> np.ndarray:
    plain = Plain(problem)
    end = time.process_time() + LIMIT
    return minimize(
        plain.objective,
        problem.safe,
        jac=plain.gradient,
        hess=plain.full_hessian,
        method="trust-constr",
        constraints=[LinearConstraint(plain.a, 0.0, H)],
        options={"gtol": 1e-8, "xtol": 1e-10, "barrier_tol": 1e-9, "maxiter": 2000},
        callback=lambda x, state: time.process_time() > end,
    ).x


def by_slsqp(problem: BoxProblem) -> np.ndarray:
    plain = Plain(problem)
    return minimize(
        plain.objective,
        problem.safe,
        jac=plain.gradient,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda w: plain.a @ w, "jac": lambda w: plain.a},
            {"type": "ineq", "fun": lambda w: H - plain.a @ w, "jac": lambda w: -plain.a},
        ],
        options={"ftol": 1e-12, "maxiter": 300},
    ).x


def by_rocstar(problem: BoxProblem) -> np.ndarray:
    # A new problem each time, since the old one remembers its coordinates.
    fresh = BoxProblem(
        problem.phi, problem.positive, problem.weights, problem.alpha, problem.fit_intercept
    )
    return solve(fresh).w


SOLVERS = {
    "rocstar": by_rocstar,
    "ipopt": by_ipopt,
    "ipopt-lifted": by_ipopt_lifted,
    "trust-constr": by_trust_constr,
    "slsqp": by_slsqp,
}


# ------------------------------------------------------------------ runs


def timed(work: Callable[[], object], repeats: int) -> tuple[float, object]:
    """Least CPU time of several runs, and the last result."""
    seconds, result = [], None
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def compare(rivals: list[str], problems: list[str], out: Path) -> None:
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(
            ["problem", "solver", "cpu_s", "ratio", "objective", "relative_excess", "outside"]
        )
        for name in problems:
            problem = PROBLEMS[name]()
            by_rocstar(problem)  # warm up
            base, w = timed(lambda p=problem: by_rocstar(p), 5)
            best = problem.value(w)
            for solver in ["rocstar", *rivals]:
                seconds = base
                if solver != "rocstar":
                    repeats = 2 if solver.startswith("ipopt") else 1
                    seconds, w = timed(lambda p=problem, s=solver: SOLVERS[s](p), repeats)
                v = problem.angles(w)
                row = [
                    name,
                    solver,
                    f"{seconds:.4g}",
                    f"{seconds / base:.3g}",
                    f"{problem.value(w):.10f}",
                    f"{(problem.value(w) - best) / abs(best):.1e}",
                    f"{max(-v.min(), v.max() - H, 0):.1e}",
                ]
                table.writerow(row)
                file.flush()
                print(*row, flush=True)


def gram_passes(out: Path) -> None:
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(
            ["n", "d", "cpu_s", "gram_cpu_s", "gram_passes", "iterations", "duality_gap", "status"]
        )
        for n in (1_000, 10_000, 100_000, 1_000_000):
            problem = gaussian(n, 50, 1e-3, 7)
            gram, _ = timed(lambda p=problem: p.phi.T @ p.phi, 5)
            seconds, solution = timed(lambda p=problem: solve(p), 1 if n > 100_000 else 3)
            row = [n, 50, f"{seconds:.4g}", f"{gram:.3g}", f"{seconds / gram:.0f}"]
            row += [solution.n_iter, f"{solution.duality_gap:.1e}", solution.status.name]
            table.writerow(row)
            print(*row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals", nargs="*", default=list(SOLVERS)[1:])
    parser.add_argument("--problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--table", default="solvers.csv")
    arguments = parser.parse_args()
    print(f"# NumPy {np.__version__}, SciPy {scipy.__version__}, {platform.machine()}")
    if arguments.table == "solvers.csv":
        gram_passes(HERE / "results" / "gram_passes.csv")
    compare(arguments.rivals, arguments.problems, HERE / "results" / arguments.table)


if __name__ == "__main__":
    main()

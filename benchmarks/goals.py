"""Every goal of the project with its verdict; the numbers come from ``measures.py``.

A goal is met, missed, or open (not measured, or not completely). ``tried`` says what was done about
a goal that is not met; the rest of a row is computed, so that it cannot go stale. What tests check
anyway is not repeated here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import measures

MET, MISSED, OPEN = "met", "**missed**", "open"


@dataclass(frozen=True)
class Goal:
    """One row: what should be reached, what was, and what was tried where it was not."""

    area: str
    goal: str
    measured: str
    verdict: str
    tried: str = ""


@dataclass(frozen=True)
class Claim:
    """A goal and the function that measures it; a missing file leaves it open."""

    area: str
    goal: str
    measure: Callable[[], tuple[str, bool | None]]
    tried: str = ""

    def judged(self) -> Goal:
        try:
            measured, met = self.measure()
        except (FileNotFoundError, KeyError, IndexError, ValueError) as error:
            measured, met = f"no complete result yet ({type(error).__name__})", None
        verdict = OPEN if met is None else MET if met else MISSED
        return Goal(self.area, self.goal, measured, verdict, "" if met else self.tried)


def claims(results: Path) -> Iterator[Claim]:
    """All goals, in the order of the page."""
    yield Claim(
        "estimators",
        "tangent linear, 10⁶ × 50: at most 4 Gram passes",
        measures.gram_passes,
        "a start on 1 % and 10 % of the rows, reuse of the Hessian with BFGS updates, long passes "
        "shared among threads, the look for missing values inside the first pass, the thinned "
        "start's matrix with its last pass: 9.7, then 5.3, 4.1, 3.8 passes; five gradient passes "
        "remain and are bound by memory",
    )
    yield Claim(
        "estimators",
        "at least 2 times faster than LogisticRegression (lbfgs)",
        measures.against_logistic("lbfgs", 2),
    )
    yield Claim(
        "estimators",
        "at least 6 times faster than newton-cholesky",
        measures.against_logistic("newton-cholesky", 6),
    )
    yield Claim(
        "estimators",
        "gradient norm at most 1e-8; extra memory under 10 % of X",
        measures.linear_exactness,
    )
    yield Claim(
        "estimators",
        "rbf with CV: at least 10 times less CPU than densratio's uLSIF, test AUC at least 0.75",
        measures.against_densratio,
    )
    yield Claim(
        "estimators",
        "the stack's mean test AUC and J at or above each member's",
        measures.stack_members,
    )
    yield Claim(
        "estimators",
        "paper's simulation, tangent: mean squared angle error at most 0.0065",
        measures.fresh_angle_error,
        "some twenty rules and grids for the bandwidth, chosen on other seeds",
    )
    yield Claim(
        "box and two steps",
        "linear: 20 times faster than IPOPT, optimum to 1e-7",
        measures.against_ipopt("linear|positive", "ipopt.*"),
    )
    yield Claim(
        "box and two steps",
        "kernel, n = 500: 20 times faster than IPOPT, optimum to 1e-7",
        measures.against_ipopt("kernel", "ipopt"),
        "Cholesky factors in place of eigenvectors for coordinates, once per path of penalties",
    )
    yield Claim(
        "box and two steps",
        "the same with the angles as IPOPT's variables too, which suits it better",
        measures.against_ipopt("kernel", "ipopt-lifted"),
        "the same; Gram and Cholesky of a 500 × 500 matrix are most of any method's work",
    )
    yield Claim(
        "box and two steps",
        "100 times faster than trust-constr",
        measures.against_scipy("trust-constr"),
    )
    yield Claim(
        "box and two steps",
        "100 times faster than SLSQP",
        measures.against_scipy("slsqp"),
        "nothing: on 1,100 rows and 20 columns it takes 24 ms, and 0.24 ms is out of reach",
    )
    yield Claim("box and two steps", "box at n = 10⁵, d = 50: solved", measures.box_passes)
    yield Claim(
        "box and two steps", "two steps: growth exponent at most 1.15", measures.two_step_growth
    )
    yield Claim(
        "box and two steps",
        "box against tangent on the law suite, reported",
        measures.box_or_tangent,
    )
    yield Claim(
        "box and two steps",
        "paper's simulation, box: mean squared angle error at most 0.0065",
        measures.angle_error("box"),
    )
    yield Claim(
        "certificates",
        "lower bound of the AUC: coverage at least 94 % in every cell",
        measures.auc_bound_coverage,
        "the remaining cells are still to be run",
    )
    yield Claim(
        "certificates",
        "its median within 0.06 of the truth at 120 positives",
        measures.auc_bound_width,
        "nothing: in that cell the bound is Clopper–Pearson's, and no valid one is closer",
    )
    yield Claim(
        "certificates",
        "`certify`, linear, whole suite: coverage at least 94 %",
        measures.certify_coverage,
        "the remaining cells are still to be run",
    )
    yield Claim(
        "certificates",
        "betting: no cell rejects the level 5 % in a binomial test at 1 % over the cells",
        measures.betting_level,
    )
    yield Claim(
        "certificates",
        "betting, distance to the truth over that of five folds: at most 1.25 for L and TV, for "
        "the AUC 1.25 under imbalance and 1.45 in balance",
        measures.betting_gaps,
        "more parts, fewer, growing ones, shares of the error, a mean of the wealths, exact tests "
        "of TV; with the whole error for each figure alone most ratios would be 0.96 to 1.25",
    )
    yield Claim(
        "certificates",
        "betting, distance to the truth: not above that of one held-out half",
        measures.betting_against_holdout,
        "TV with 24 positives, of which the first models see three",
    )
    yield Claim(
        "certificates",
        "betting: stack at most 4 times five boosted fits, any other learner at most five folds",
        measures.betting_cost,
        "five fits on twice the rows in all, where five folds take four times; what remains for a "
        "learner that fits in milliseconds is a tenth of a second for the bets",
    )
    yield Claim(
        "certificates",
        "proven band: ε and partial AUC at 1 % no smaller than by Clopper–Pearson at hull points",
        measures.proven_band,
        "rates and ranks; one of twelve is below: the partial AUC with Laplace noise, 1,000 rows",
    )
    yield Claim(
        "certificates",
        "`certify`, rbf and stack: coverage at least 94 %",
        measures.flexible_coverage,
        "the remaining cells are still to be run",
    )
    yield Claim(
        "certificates",
        "RMSE of the arc length at most 1.2 times the oracle's",
        measures.value_rmse,
        "one of eight is 1.202: a log-linear model of fifty columns with a fixed, weak penalty",
    )
    yield Claim(
        "certificates",
        "bias of the stack's arc length at most 0.02, 1,000 rows per class",
        measures.stack_bias,
        "its smooth members now count in sample, its trees out of fold: see track 1",
    )
    yield Claim("certificates", "two-sample test: level at most 5 %", measures.level)
    yield Claim(
        "certificates",
        "power at least that of hyppo's fast MMD at a small part of its time",
        measures.power,
        "several bandwidths and ridges at once; see the track below",
    )
    yield Claim("certificates", "Neyman–Pearson: violations at most δ", measures.neyman_pearson)
    yield Claim(
        "audit",
        "`rocstar audit` on adult (48,842 rows) within 90 s",
        measures.audit_speed("full", 90),
    )
    yield Claim(
        "audit",
        "`audit` of 1,000 to 200,000 rows: at most 8 times the CPU time of five boosted fits in "
        "the same process and thread",
        measures.audit_ratios,
    )
    yield Claim(
        "audit",
        "the command `rocstar audit` of 1,000, 48,842 and 200,000 rows, imports included: at most "
        "8 times five boosted fits, and about 5, 20 and 80 s",
        measures.audit_times,
        "8.0 on another machine; imports take 2 of the 8.2 times, nothing else more than a few "
        "per cent but the boosted fits themselves",
    )
    yield Claim(
        "audit",
        "`--fast` within 10 s",
        measures.audit_speed("fast", 10),
        "fewer folds, members and trees; a third is imports, the rest encoding and the report",
    )
    yield Claim(
        "audit", "memory at most 6 matrices and 300 MB; report under 6 MB", measures.audit_memory
    )
    yield Claim("paper", "every claim reproduced or corrected", measures.paper_claims)
    yield Claim(
        "scale",
        "Dask, 2 workers: at most 1.5 times the time in memory; coefficients to 1e-8",
        measures.dask_ratio,
        "larger partitions, one pass fewer",
    )
    yield Claim(
        "scale",
        "2 workers at least 1.6 times faster than 1",
        measures.dask_workers,
        "cheaper tasks, a start with the first pass and never halved, straight from the workers, "
        "who do not watch themselves: 1.53 to 1.71 in five runs, two plain processes 1.8 to 2.2",
    )
    yield Claim("scale", "12 GB of Parquet with workers of 1.5 GB", measures.parquet)
    yield Claim("scale", "cost against rows: exponent at most 1.05 above 10⁶", measures.growth)
    yield Claim(
        "scale",
        "one H200, 10⁸ × 64: at most 13 Gram passes; coefficients within 1e-5",
        measures.gpu,
    )
    yield Claim(
        "peers",
        "track 1: RMSE of the stack over the oracle's at most 1.2 (1.3 with 200 rows per class)",
        lambda: measures.value_ratios(results),
        "see the appendix",
    )
    yield Claim(
        "peers",
        "against each rival ahead in 90 % of cells, or in the oracle's own share",
        lambda: measures.each_rival(results),
        "see the appendix",
    )
    for model in ("stack", "rbf", "linear"):
        yield Claim(
            "certificates",
            f"identical laws, 200 rows per class, ten columns, {model}: mean value of the AUC at "
            "most .52, of TV at most .03",
            measures.value_at_identical_laws(model),
            "see track 1",
        )
    for model, than in (
        ("stack", "the values of the earlier default"),
        ("rbf", "midpoints"),
        ("linear", "midpoints"),
    ):
        yield Claim(
            "certificates",
            f"laws with AUC* of at most .6, 200 rows per class, {model}: RMSE at most 1.05 times "
            f"that of {than}",
            measures.price_at_faint_laws(model),
            "some forty rules on the same rows, shares by the p-value of a permutation test among "
            "them; part of the price is inevitable, see track 1",
        )
    yield Claim(
        "peers",
        "track 2: mean rank first with the stack",
        lambda: measures.stack_rank(results),
        "wider penalties for the members; the trees of the stack are not tuned, the rivals' are",
    )
    yield Claim(
        "peers",
        "track 2: first at every size",
        lambda: measures.stack_rank_by_size(results),
        "small leaves and a larger forest where the rarer class has few rows, and trees that see "
        "the scores of smooth models where there are many, which are the default now",
    )
    yield Claim(
        "peers",
        "linear class no worse than the best linear rival within a standard error",
        lambda: measures.linear_class(results),
        "wider penalties; the rivals are tuned by the AUC they are judged by, ours by J",
    )
    yield Claim(
        "peers",
        "track 3: our intervals of the AUC hold 95 %",
        lambda: measures.interval_coverage(results),
    )


def judged(results: Path) -> list[Goal]:
    """All goals with their verdicts."""
    return [claim.judged() for claim in claims(results)]

"""The law behind the audits that several test files look at."""

from rocstar import laws

LAW = laws.GaussianPair([1.0, 1.0], [0.0, 0.0])

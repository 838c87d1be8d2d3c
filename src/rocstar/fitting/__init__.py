"""From rows to coefficients: where arrays live, losses, features, problems and their solvers."""

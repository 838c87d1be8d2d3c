"""From held-out rows to bounds: masses, intervals, bands, certificates and tests."""

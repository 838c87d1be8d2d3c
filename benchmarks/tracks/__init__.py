"""One file per track: ``run(team, size, data)`` fills a CSV."""

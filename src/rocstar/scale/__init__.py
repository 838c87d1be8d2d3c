"""All that knows Dask: clients, tasks, lazy columns, rows on workers."""

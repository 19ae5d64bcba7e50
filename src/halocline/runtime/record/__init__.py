"""What happens, on record: one recorder per process, one record per run."""

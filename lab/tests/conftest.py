"""Programs that tests record are no tests."""

collect_ignore = ["recorded"]

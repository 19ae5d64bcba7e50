"""Clouds and precipitation: schemes that change `dry_theta` and `water` in place."""

"""Replay of records and patterns on described machines."""

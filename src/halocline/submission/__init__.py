"""Runs at other machines: a case is sent there, started, continued, looked after and fetched."""

"""Bytes on disks: formats, checksums, names, room; no values of fields."""

"""The ocean with life in it: biogeochemistry moved by the ocean of the same run, step by step."""

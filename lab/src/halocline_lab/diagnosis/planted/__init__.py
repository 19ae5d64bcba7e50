"""Programs with a planted fault each, for `halocline lab faults`.

`mpiexec -n 4 python -m halocline_lab.diagnosis.planted.NAME` runs one; with `--fixed` after it, the
same mended.
"""

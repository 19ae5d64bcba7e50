"""Programs with a planted fault each, for `halocline lab faults`.

`mpiexec -n 4 python -m halocline.lab.planted.NAME` runs one, `--fixed` after it the same mended.
"""

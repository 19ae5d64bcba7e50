"""A slab ocean in Python, computed beside members of Halocline: case.toml says with which.

halocline run . -n 3 --set members.slab.program.command="python slab.py"
"""

import numpy as np

import halocline

heat_capacity = 1025.0 * 3990.0 * 50.0  # of 50 m of water [J m-2 K-1]

run = halocline.join("slab")

# Each rank has a run of whole rows: how a program shares its cells is its own business.
rows, columns = run.shape
rank, ranks = run.communicator.Get_rank(), run.communicator.Get_size()
row, column = np.mgrid[rows * rank // ranks : rows * (rank + 1) // ranks, :columns]
longitude, latitude = 5.0 + 10.0 * column, -55.0 + 10.0 * row
temperature = (25.0 - 0.0078125 * latitude * latitude).ravel()  # [degree C]
run.cells(row * columns + column, longitude, latitude)
run.gives("surface_temperature", "degree_C")
run.takes("heat_flux_into_sea", "W m-2")

if run.restarted:
    temperature = run.take("temperature")
else:
    run.put("surface_temperature", temperature)
    run.put("temperature", temperature)

while run.step():
    heat = run.take("heat_flux_into_sea")  # into the sea [W m-2]
    temperature = temperature + run.step_length * heat / heat_capacity
    run.put("surface_temperature", temperature)
    run.put("temperature", temperature)
run.end()

/* A slab ocean in C, computed beside members of Halocline: case.toml says with which.

   halocline compile gcc -O2 slab.c -o slab && halocline run . -n 3 */
#include <halocline.h>
#include <stdlib.h>

static const double heat_capacity = 1025.0 * 3990.0 * 50.0; /* of 50 m of water [J m-2 K-1] */

int main(void) {
  halocline_join("slab");

  /* Each rank has a run of whole rows: how a program shares its cells is its own business. */
  int64_t rows = halocline_rows(), columns = halocline_columns();
  int64_t first = rows * halocline_rank() / halocline_ranks();
  int64_t last = rows * (halocline_rank() + 1) / halocline_ranks();
  int64_t count = (last - first) * columns;
  int64_t* cells = malloc(count * sizeof *cells);
  double* longitude = malloc(count * sizeof *longitude);
  double* latitude = malloc(count * sizeof *latitude);
  double* temperature = malloc(count * sizeof *temperature); /* [degree C] */
  double* heat = malloc(count * sizeof *heat);               /* into the sea [W m-2] */
  for (int64_t k = 0; k < count; k++) {
    cells[k] = first * columns + k;
    longitude[k] = 5.0 + 10.0 * (k % columns);
    latitude[k] = -55.0 + 10.0 * (first + k / columns);
    temperature[k] = 25.0 - 0.0078125 * latitude[k] * latitude[k];
  }
  halocline_cells(count, cells, longitude, latitude);
  halocline_gives("surface_temperature", "degree_C");
  halocline_takes("heat_flux_into_sea", "W m-2");

  if (halocline_restarted())
    halocline_take("temperature", count, temperature);
  else {
    halocline_put("surface_temperature", count, temperature);
    halocline_put("temperature", count, temperature);
  }

  double step = halocline_step_length();
  while (halocline_step()) {
    halocline_take("heat_flux_into_sea", count, heat);
    for (int64_t k = 0; k < count; k++)
      temperature[k] = temperature[k] + step * heat[k] / heat_capacity;
    halocline_put("surface_temperature", count, temperature);
    halocline_put("temperature", count, temperature);
  }
  halocline_end();
  free(cells);
  free(longitude);
  free(latitude);
  free(temperature);
  free(heat);
  return 0;
}

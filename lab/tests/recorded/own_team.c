// A library whose copy of libgomp may be its own.
#include <omp.h>

void team_set(int threads) { omp_set_num_threads(threads); }

int team_size(void) {
  int found = 0;
#pragma omp parallel
  {
#pragma omp master
    found = omp_get_num_threads();
  }
  return found;
}

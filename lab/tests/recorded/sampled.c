// Much time in tables before the steps, then twice as much in one function as in another; with an
// argument, without steps.
#include <mpi.h>

#include "halocline_regions.h"

static volatile double sum;

static void work(long count) {
  for (long at = 0; at < count; ++at) sum = 0.5 * sum + 1.0;
}
__attribute__((noinline)) static void make_tables(long count) {
  for (long at = 0; at < count; ++at) sum = 0.5 * sum + 1.0;
}
__attribute__((noinline)) static void relax(long count) {
  for (long at = 0; at < count; ++at) sum = 0.5 * sum + 1.0;
}
__attribute__((noinline)) static void smooth(long count) {
  for (long at = 0; at < count; ++at) sum = 0.5 * sum + 1.0;
}
static void one_step(void) {
  relax(24000000);
  smooth(12000000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  make_tables(120000000);
  for (int step = 0; step < 8; ++step) {
    if (argc == 1) halocline_step();
    one_step();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (argc == 1) halocline_steps_end();
  work(1000);
  MPI_Finalize();
  return 0;
}

// Steps and regions named with halocline_regions.h; the first argument says how the program ends.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halocline_regions.h"

static void exchange(int rank, int size) {
  int a = rank, b;
  MPI_Sendrecv(&a, 1, MPI_INT, (rank + 1) % size, 1, &b, 1, MPI_INT, (rank + size - 1) % size, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  const char* end = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  halocline_begin("start");
  exchange(rank, size);
  halocline_end();
  for (int step = 0; step < 6; ++step) {
    halocline_step();
    halocline_begin("outer");
    halocline_begin("inner");
    exchange(rank, size);
    halocline_end();
    halocline_end();
  }
  halocline_steps_end();
  if (strcmp(end, "exit") == 0 && rank == 1) exit(5);
  if (strcmp(end, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 6);
  if (strcmp(end, "_exit") == 0 && rank == 1) _exit(7);
  if (strcmp(end, "SIGKILL") == 0 && rank == 1) raise(SIGKILL);
  if (strcmp(end, "SIGSEGV") == 0 && rank == 1) *(volatile int*)8 = 1;
  if (strcmp(end, "waiting") == 0 && rank == 0) {
    puts("waiting");
    fflush(stdout);
    sleep(20);
  }
  if (*end != 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

// What can be told in one of several ways: strips that end at nobody, windows, threads that wait.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

/// Rows of a grid: the first and the last rank have one neighbour.
static void strips(int steps) {
  double row[64] = {0}, other[64];
  const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; ++step) {
    compute(rank == 0 ? 4e-3 : 2e-3);
    MPI_Sendrecv(row, 64, MPI_DOUBLE, up, 1, other, 64, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(row, 64, MPI_DOUBLE, down, 2, other, 64, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    double mine = 1.0, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void windows(int steps) {
  double cells[64] = {0}, some[64] = {0};
  MPI_Win window;
  MPI_Win_create(cells, sizeof cells, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int step = 0; step < steps; ++step) {
    compute(rank == 0 ? 12e-3 : 2e-3);
    MPI_Win_fence(0, window);
    MPI_Put(some, 64, MPI_DOUBLE, (rank + 1) % size, 0, 64, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

static void* wait_in_thread(void* tag) {
  int got;
  MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, *(int*)tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return NULL;
}

static void threads(void) {
  pthread_t helpers[3];
  int tags[3] = {10, 11, 12};
  for (int at = 0; at < 3; ++at) pthread_create(&helpers[at], NULL, wait_in_thread, &tags[at]);
  compute(0.1);
  for (int at = 0; at < 3; ++at)
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, tags[at], MPI_COMM_WORLD);
  for (int at = 0; at < 3; ++at) pthread_join(helpers[at], NULL);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "strips";
  if (strcmp(what, "strips") == 0) strips(20);
  if (strcmp(what, "windows") == 0) windows(20);
  if (strcmp(what, "threads") == 0) threads();
  MPI_Finalize();
  return 0;
}

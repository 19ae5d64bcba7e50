// Three parallel regions of OpenMP on two threads; thread 1 has all the work of the first.
#include <mpi.h>
#include <omp.h>

static volatile double sink;

static void work(double seconds) {
  const double begin = omp_get_wtime();
  while (omp_get_wtime() < begin + seconds) sink = sink + 1.0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) work(0.05);
  }
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int at = 0; at < 4; ++at) work(0.001);
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}

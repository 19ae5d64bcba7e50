// A ring as a Fortran compiler would call it: everything by address, `error` may be absent in f08.
#include <mpi.h>
#include <stddef.h>

extern MPI_Fint mpi_fortran_status_ignore_[], mpi_fortran_in_place_[];
void mpi_init_(MPI_Fint*);
void mpi_finalize_(MPI_Fint*);
void mpi_send_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_recv_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_isend_f08_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*,
                    MPI_Fint*);
void mpi_irecv_f08_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*,
                    MPI_Fint*);
void mpi_waitany_f08_(MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void mpi_allgather_(void*, MPI_Fint*, MPI_Fint*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);

static MPI_Fint error, ten = 10, twenty = 20, any_source = MPI_ANY_SOURCE, any_tag = MPI_ANY_TAG;

static void ring(MPI_Fint world, MPI_Fint type, int rank, int size) {
  double a[10] = {0}, b[10];
  MPI_Fint right = (rank + 1) % size, tag = 3, two = 2, index, requests[2];
  for (int round = 0; round < 5; ++round) {
    mpi_irecv_f08_(b, &ten, &type, &any_source, &any_tag, &world, &requests[0], NULL);
    mpi_isend_f08_(a, &ten, &type, &right, &tag, &world, &requests[1], NULL);
    mpi_waitany_f08_(&two, requests, &index, mpi_fortran_status_ignore_, NULL);
    mpi_waitany_f08_(&two, requests, &index, mpi_fortran_status_ignore_, NULL);
  }
}

static void pairs(MPI_Fint world, MPI_Fint type, int rank) {
  double a[10] = {0}, b[20];
  MPI_Fint other = rank ^ 1, tag = 4;
  if (rank % 2 == 0) mpi_send_(a, &ten, &type, &other, &tag, &world, &error);
  mpi_recv_(b, &twenty, &type, &any_source, &tag, &world, mpi_fortran_status_ignore_, &error);
  if (rank % 2 == 1) mpi_send_(a, &ten, &type, &other, &tag, &world, &error);
}

static void together(MPI_Fint world, MPI_Fint type) {
  double all[40] = {0};
  MPI_Fint none = 0;
  mpi_allgather_(mpi_fortran_in_place_, &none, &type, all, &ten, &type, &world, &error);
}

int main(void) {
  int rank, size;
  mpi_init_(&error);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD), type = MPI_Type_c2f(MPI_DOUBLE);
  ring(world, type, rank, size);
  pairs(world, type, rank);
  together(world, type);
  for (int at = 0; at < 8; ++at)
    if (mpi_fortran_status_ignore_[at] != 0) return 1;
  mpi_finalize_(&error);
  return error;
}

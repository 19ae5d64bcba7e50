// A ring in a program that uses a session and never calls MPI_Init.
#include <mpi.h>

static void ring(MPI_Comm comm) {
  int rank, size;
  double a = 0, b;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&a, 1, MPI_DOUBLE, (rank + 1) % size, 1, &b, 1, MPI_DOUBLE, (rank + size - 1) % size,
               1, comm, MPI_STATUS_IGNORE);
}

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ring", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  ring(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return 0;
}

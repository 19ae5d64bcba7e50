// Stands in for the Fortran layer of an MPI library: its symbols, which call the profiling
// interface of C as Open MPI's do. The program in fortran_calls.c calls them as compiled Fortran
// does.
#include <mpi.h>
#include <stddef.h>

MPI_Fint mpi_fortran_status_ignore_[8], mpi_fortran_in_place_[1];

static MPI_Status* of(MPI_Fint* status) {
  return status == mpi_fortran_status_ignore_ ? MPI_STATUS_IGNORE : (MPI_Status*)status;
}
void mpi_init_(MPI_Fint* error) { *error = PMPI_Init(NULL, NULL); }
void mpi_finalize_(MPI_Fint* error) { *error = PMPI_Finalize(); }
void mpi_init_f08_(MPI_Fint* error) { (void)error; }
void mpi_send_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag,
               MPI_Fint* comm, MPI_Fint* error) {
  *error = PMPI_Send(buffer, *count, PMPI_Type_f2c(*type), *to, *tag, PMPI_Comm_f2c(*comm));
}
void mpi_recv_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* from, MPI_Fint* tag,
               MPI_Fint* comm, MPI_Fint* status, MPI_Fint* error) {
  *error = PMPI_Recv(buffer, *count, PMPI_Type_f2c(*type), *from, *tag, PMPI_Comm_f2c(*comm),
                     of(status));
}
void mpi_isend_f08_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag,
                    MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made;
  const int code =
      PMPI_Isend(buffer, *count, PMPI_Type_f2c(*type), *to, *tag, PMPI_Comm_f2c(*comm), &made);
  *request = PMPI_Request_c2f(made);
  if (error != NULL) *error = code;
}
// As in MPICH, whose Fortran layer calls the MPI of C: the call must count once.
void mpi_irecv_f08_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* from, MPI_Fint* tag,
                    MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made;
  const int code =
      MPI_Irecv(buffer, *count, PMPI_Type_f2c(*type), *from, *tag, PMPI_Comm_f2c(*comm), &made);
  *request = PMPI_Request_c2f(made);
  if (error != NULL) *error = code;
}
void mpi_waitany_f08_(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status,
                      MPI_Fint* error) {
  MPI_Request all[8];
  for (int at = 0; at < *count; ++at) all[at] = PMPI_Request_f2c(requests[at]);
  int found;
  const int code = PMPI_Waitany(*count, all, &found, of(status));
  *index = found + 1;
  requests[found] = PMPI_Request_c2f(all[found]);
  if (error != NULL) *error = code;
}
void mpi_allgather_(void* send, MPI_Fint* count, MPI_Fint* type, void* receive,
                    MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* comm,
                    MPI_Fint* error) {
  void* from = send == (void*)mpi_fortran_in_place_ ? MPI_IN_PLACE : send;
  *error = PMPI_Allgather(from, *count, PMPI_Type_f2c(*type), receive, *receive_count,
                          PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm));
}
void mpi_pcontrol_(MPI_Fint* level, MPI_Fint* error) {
  (void)level;
  *error = 77;
}

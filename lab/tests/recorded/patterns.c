// Known patterns of messages, one function each, for four ranks; argument: a file to write.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
static int rank, size, left, right;
static MPI_Comm world;

static void ring(void) {
  double a[10] = {0}, b[10];
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request requests[2];
    MPI_Irecv(b, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 3, world, &requests[0]);
    MPI_Isend(a, 10, MPI_DOUBLE, right, 3, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void all_pairs(void) {
  int a[100] = {0}, b[200];
  for (int other = 0; other < size; ++other) {
    if (other == rank) continue;
    MPI_Status status;
    if (rank < other) MPI_Send(a, 100, MPI_INT, other, 4, world);
    MPI_Recv(b, 200, MPI_INT, other, 4, world, &status);
    if (rank > other) MPI_Send(a, 100, MPI_INT, other, 4, world);
  }
}

static void any_source(void) {
  int data[16] = {0}, index;
  if (rank == 0) {
    MPI_Request requests[8];
    int from[8][16];
    for (int at = 0; at < size - 1; ++at)
      MPI_Irecv(from[at], 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[at]);
    for (int at = 0; at < size - 1; ++at)
      MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(data, rank, MPI_INT, 0, 100 + rank, world);
  }
  MPI_Barrier(world);
}

static void persistent(void) {
  double a[3] = {0}, b[3];
  MPI_Request requests[2];
  MPI_Send_init(a, 3, MPI_DOUBLE, right, 5, world, &requests[0]);
  MPI_Recv_init(b, 3, MPI_DOUBLE, left, 5, world, &requests[1]);
  for (int round = 0; round < 7; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void derived(void) {
  double a[32] = {0}, b[12];
  MPI_Datatype columns;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  MPI_Request request;
  MPI_Isend(a, 2, columns, right, 6, world, &request);
  MPI_Recv(b, 12, MPI_DOUBLE, left, 6, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&columns);
}

static void shift(void) {
  char a[8] = {0}, b[16];
  double c[4] = {0};
  MPI_Sendrecv(a, 8, MPI_CHAR, right, 7, b, 16, MPI_CHAR, MPI_ANY_SOURCE, 7, world,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(c, 4, MPI_DOUBLE, left, 8, right, 8, world, MPI_STATUS_IGNORE);
}

static void* thread(void* number) {
  const int tag = 200 + (int)(long)number;
  int a[5] = {0}, b[5];
  for (int round = 0; round < 20; ++round) {
    MPI_Request request;
    MPI_Isend(a, 5, MPI_INT, right, tag, world, &request);
    MPI_Recv(b, 5, MPI_INT, left, tag, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[3];
  for (long at = 0; at < 3; ++at) pthread_create(&all[at], NULL, thread, (void*)at);
  for (int at = 0; at < 3; ++at) pthread_join(all[at], NULL);
}

static void matched(void) {
  int a[9] = {0}, flag = 0;
  MPI_Message message;
  MPI_Status status;
  if (rank == 0) {
    for (int at = 0; at < 3; ++at) MPI_Send(a, 9, MPI_INT, 1, 9, world);
  } else if (rank == 1) {
    MPI_Probe(MPI_ANY_SOURCE, 9, world, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, 9, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(a, 9, MPI_INT, &message, MPI_STATUS_IGNORE);
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 9, world, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Imrecv(a, 9, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 9, world, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(a, 9, MPI_INT, MPI_ANY_SOURCE, 9, world, &status);
  }
}

static void split(void) {
  MPI_Comm half, copy, between;
  int a = 0, b, own;
  MPI_Comm_split(world, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Sendrecv(&a, 1, MPI_INT, 1 - own, 10, &b, 1, MPI_INT, 1 - own, 10, half, MPI_STATUS_IGNORE);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm_dup(half, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }
  MPI_Intercomm_create(half, 0, world, rank % 2 ? 2 : 3, 11, &between);
  if (rank % 2 == 0) MPI_Send(&a, 1, MPI_INT, own, 12, between);
  if (rank % 2 == 1) MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 12, between, MPI_STATUS_IGNORE);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

static void together(void) {
  double a[16] = {0}, b[16];
  int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6}, same[4] = {1, 1, 1, 1};
  same[0] = same[1] = same[2] = same[3] = rank + 1;
  MPI_Request request;
  MPI_Bcast(a, 10, MPI_DOUBLE, 2, world);
  MPI_Gather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 1, world);
  MPI_Scatter(a, 3, MPI_DOUBLE, b, 3, MPI_DOUBLE, 1, world);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 4, MPI_DOUBLE, world);
  MPI_Alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, world);
  MPI_Allgatherv(a, counts[rank], MPI_DOUBLE, b, counts, places, MPI_DOUBLE, world);
  places[0] = places[1] = places[2] = places[3] = 0;
  MPI_Alltoallv(a, counts, places, MPI_DOUBLE, b, same, places, MPI_DOUBLE, world);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, world);
  MPI_Iallreduce(a, b, 6, MPI_DOUBLE, MPI_SUM, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void neighbours(void) {
  MPI_Comm grid;
  int extents[2] = {2, 2}, periods[2] = {1, 1};
  double a[8] = {0}, b[8];
  MPI_Cart_create(world, 2, extents, periods, 0, &grid);
  MPI_Neighbor_alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, grid);
  MPI_Comm_free(&grid);
}

static void windows(void) {
  double memory[8] = {0}, own[8] = {0};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  MPI_Put(own, 6, MPI_DOUBLE, right, 0, 6, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, left, 0, window);
  MPI_Get(own, 2, MPI_DOUBLE, left, 0, 2, MPI_DOUBLE, window);
  MPI_Win_unlock(left, window);
  MPI_Win_free(&window);
}

static void files(const char* name) {
  int data[10] = {0};
  MPI_File file;
  MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * 40, data, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void many(void) {
  int a[50] = {0}, b[50], flag = 0, done, indices[50];
  MPI_Request sends[50], receives[50], none = MPI_REQUEST_NULL;
  for (int at = 0; at < 50; ++at)
    MPI_Irecv(&b[at], 1, MPI_INT, left, 1000 + at, world, &receives[at]);
  for (int at = 0; at < 50; ++at)
    MPI_Isend(&a[at], 1, MPI_INT, right, 1000 + at, world, &sends[at]);
  for (int found = 0; found < 50; found += done)
    MPI_Waitsome(50, receives, &done, indices, MPI_STATUSES_IGNORE);
  while (!flag) MPI_Testall(50, sends, &flag, MPI_STATUSES_IGNORE);
  MPI_Send(a, 50, MPI_INT, MPI_PROC_NULL, 13, world);
  MPI_Wait(&none, MPI_STATUS_IGNORE);
}

static void cancelled(void) {
  int a;
  MPI_Request request;
  MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 14, world, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  ring();
  all_pairs();
  any_source();
  persistent();
  derived();
  shift();
  threads();
  matched();
  split();
  together();
  neighbours();
  windows();
  files(argv[1]);
  many();
  cancelled();
  MPI_Finalize();
  return argc == 2 ? 0 : 1;
}

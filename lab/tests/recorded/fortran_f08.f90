! The patterns of fortran_calls.c with the module mpi_f08; steps and regions by halocline_regions.f90.
subroutine ring(rank, ranks)
  use mpi_f08
  use halocline_regions
  implicit none
  integer :: rank, ranks, round, index
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  double precision :: a(10), b(10)
  a = rank
  do round = 1, 5
    call halocline_step()
    call halocline_begin("exchange")
    call MPI_Irecv(b, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                   requests(1))
    call MPI_Isend(a, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(2))
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE)
    call MPI_Waitany(2, requests, index, status)
    call halocline_end()
  end do
  call halocline_steps_end()
end subroutine

subroutine pairs(rank)
  use mpi_f08
  implicit none
  integer :: rank, other
  double precision :: a(10), b(20)
  a = rank
  other = ieor(rank, 1)
  if (mod(rank, 2) == 0) call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD)
  call MPI_Recv(b, 20, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (mod(rank, 2) == 1) call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD)
end subroutine

subroutine together
  use mpi_f08
  implicit none
  double precision :: all(40)
  all = 0
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, all, 10, MPI_DOUBLE_PRECISION, &
                     MPI_COMM_WORLD)
end subroutine

program main
  use mpi_f08
  implicit none
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call ring(rank, ranks)
  call pairs(rank)
  call together
  call MPI_Finalize()
end program

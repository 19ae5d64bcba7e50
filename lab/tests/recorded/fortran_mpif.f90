! The patterns of fortran_calls.c with mpif.h; steps and regions by halocline_regions.f90.
subroutine ring(rank, ranks)
  use halocline_regions
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, round, error, index, requests(2)
  double precision :: a(10), b(10)
  a = rank
  do round = 1, 5
    call halocline_step()
    call halocline_begin("exchange")
    call MPI_Irecv(b, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                   requests(1), error)
    call MPI_Isend(a, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, &
                   requests(2), error)
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, error)
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, error)
    call halocline_end()
  end do
  call halocline_steps_end()
end subroutine

subroutine pairs(rank)
  implicit none
  include 'mpif.h'
  integer :: rank, other, error
  double precision :: a(10), b(20)
  a = rank
  other = ieor(rank, 1)
  if (mod(rank, 2) == 0) &
    call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, error)
  call MPI_Recv(b, 20, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &
                MPI_STATUS_IGNORE, error)
  if (mod(rank, 2) == 1) &
    call MPI_Send(a, 10, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, error)
end subroutine

subroutine together
  implicit none
  include 'mpif.h'
  integer :: error
  double precision :: all(40)
  all = 0
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, all, 10, MPI_DOUBLE_PRECISION, &
                     MPI_COMM_WORLD, error)
end subroutine

program main
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call ring(rank, ranks)
  call pairs(rank)
  call together
  call MPI_Finalize(error)
end program

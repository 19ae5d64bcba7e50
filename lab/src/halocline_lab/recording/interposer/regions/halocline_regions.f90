! Names for parts of a program, and its steps, in the records of "halocline lab record".
!
!   use halocline_regions
!   do step = 1, steps
!     call halocline_step()
!     call halocline_begin("advection")
!     ...
!     call halocline_end()
!   end do
!   call halocline_steps_end()
!
! All are calls of MPI_Pcontrol: compile this file with the program, nothing else has to be linked;
! without a recorder they do nothing. Not for several threads at once.
module halocline_regions
  implicit none
  private
  public :: halocline_begin, halocline_end, halocline_step, halocline_steps_end

  integer, parameter :: mark = int(z'48000000'), numbers = int(z'100000')
  integer, parameter :: named = 1, begin_number = 2, end_region = 4, step = 5, steps_end = 6
  integer, parameter :: most = 1024, longest = 64
  character(len=longest), save :: names(most) = " "
  integer, save :: known = 0
  external :: MPI_Pcontrol

contains

  subroutine halocline_begin(name)
    character(len=*), intent(in) :: name
    integer :: at, letter
    do at = 1, known
      if (names(at) == name) exit
    end do
    if (at > known) then
      if (known == most) then
        at = most
      else
        known = known + 1
        at = known
        names(at) = name
        do letter = 1, len_trim(names(at))
          call MPI_Pcontrol(mark + ichar(names(at)(letter:letter)))
        end do
        call MPI_Pcontrol(mark + named * numbers + at)
      end if
    end if
    call MPI_Pcontrol(mark + begin_number * numbers + at)
  end subroutine

  subroutine halocline_end()
    call MPI_Pcontrol(mark + end_region * numbers)
  end subroutine

  subroutine halocline_step()
    call MPI_Pcontrol(mark + step * numbers)
  end subroutine

  subroutine halocline_steps_end()
    call MPI_Pcontrol(mark + steps_end * numbers)
  end subroutine

end module

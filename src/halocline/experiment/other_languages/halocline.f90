!> The calls of a program in Fortran that computes a member of a run of Halocline (docs/programs.md).
!!
!! They are those of halocline.h, where each is explained; cells count from 1 here.
module halocline
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_funloc, c_funptr, c_int, &
    c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr
  implicit none
  private
  public :: halocline_join, halocline_communicator, halocline_rank, halocline_ranks
  public :: halocline_rows, halocline_columns, halocline_step_length, halocline_restarted
  public :: halocline_cells, halocline_gives, halocline_takes, halocline_put, halocline_take
  public :: halocline_field, halocline_kernel, halocline_run, halocline_sum, halocline_largest
  public :: halocline_step, halocline_seconds, halocline_end

  abstract interface
    !> Loops over columns first_i to last_i and rows first_j to last_j, from 1.
    subroutine halocline_loops(first_i, last_i, first_j, last_j)
      integer, intent(in) :: first_i, last_i, first_j, last_j
    end subroutine
  end interface

  interface
    function halocline_communicator() bind(c) result(found)
      import :: c_int
      integer(c_int) :: found
    end function
    function halocline_rank() bind(c) result(found)
      import :: c_int
      integer(c_int) :: found
    end function
    function halocline_ranks() bind(c) result(found)
      import :: c_int
      integer(c_int) :: found
    end function
    function c_rows() bind(c, name="halocline_rows") result(found)
      import :: c_int64_t
      integer(c_int64_t) :: found
    end function
    function c_columns() bind(c, name="halocline_columns") result(found)
      import :: c_int64_t
      integer(c_int64_t) :: found
    end function
    function halocline_step_length() bind(c) result(found)
      import :: c_double
      real(c_double) :: found
    end function
    function halocline_seconds() bind(c) result(found)
      import :: c_double
      real(c_double) :: found
    end function
    subroutine halocline_end() bind(c)
    end subroutine
    function c_restarted() bind(c, name="halocline_restarted") result(found)
      import :: c_int
      integer(c_int) :: found
    end function
    function c_step() bind(c, name="halocline_step") result(found)
      import :: c_int
      integer(c_int) :: found
    end function
    subroutine c_join(member) bind(c, name="halocline_join")
      import :: c_char
      character(kind=c_char), intent(in) :: member(*)
    end subroutine
    subroutine c_gives(name, units) bind(c, name="halocline_gives")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), units(*)
    end subroutine
    subroutine c_takes(name, units) bind(c, name="halocline_takes")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), units(*)
    end subroutine
    subroutine c_cells(count, numbers, longitude, latitude) bind(c, name="halocline_cells")
      import :: c_int64_t, c_ptr
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: numbers(*)
      type(c_ptr), value :: longitude, latitude
    end subroutine
    subroutine c_put(name, count, values) bind(c, name="halocline_put")
      import :: c_char, c_double, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: values(*)
    end subroutine
    subroutine c_take(name, count, values) bind(c, name="halocline_take")
      import :: c_char, c_double, c_int64_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: count
      real(c_double), intent(out) :: values(*)
    end subroutine
    function c_bounds(name, axes, bounds) bind(c, name="halocline_bounds") result(found)
      import :: c_char, c_int, c_int64_t, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: axes
      integer(c_int64_t), intent(out) :: bounds(5)
      type(c_ptr) :: found
    end function
    subroutine c_kernel(in_fortran, loops, name, reads, writes, updates) &
      bind(c, name="halocline_kernel_in")
      import :: c_char, c_funptr, c_int
      integer(c_int), value :: in_fortran
      type(c_funptr), value :: loops
      character(kind=c_char), intent(in) :: name(*), reads(*), writes(*), updates(*)
    end subroutine
    subroutine c_run(loops) bind(c, name="halocline_run")
      import :: c_funptr
      type(c_funptr), value :: loops
    end subroutine
    function c_sum(name) bind(c, name="halocline_sum") result(found)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double) :: found
    end function
    function c_largest(name) bind(c, name="halocline_largest") result(found)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double) :: found
    end function
  end interface

  !> The memory of a field, (i, j) or (i, j, k), by columns and rows of the whole grid, from 1.
  interface halocline_field
    module procedure field_plane, field_levels
  end interface

  !> Cells and values in an array of one dimension, or of two: a plane, or cells by levels.
  interface halocline_cells
    module procedure cells_line, cells_plane
  end interface
  interface halocline_put
    module procedure put_line, put_plane
  end interface
  interface halocline_take
    module procedure take_line, take_plane
  end interface

contains

  !> Join the run, as the one that computes a member of it, or all of it.
  subroutine halocline_join(member)
    character(len=*), intent(in), optional :: member
    call c_join(words(member))
  end subroutine

  !> Words as C has them; none where there are none.
  function words(given) result(found)
    character(len=*), intent(in), optional :: given
    character(len=:, kind=c_char), allocatable :: found
    found = c_null_char
    if (present(given)) found = trim(given)//c_null_char
  end function

  subroutine field_plane(name, field)
    character(len=*), intent(in) :: name
    real(c_double), pointer, contiguous, intent(out) :: field(:, :)
    real(c_double), pointer, contiguous :: whole(:, :)
    integer(c_int64_t) :: bounds(5)
    type(c_ptr) :: first
    first = c_bounds(words(name), 2_c_int, bounds)
    call c_f_pointer(first, whole, bounds(3:4))
    field(bounds(1) + 1:, bounds(2) + 1:) => whole
  end subroutine

  subroutine field_levels(name, field)
    character(len=*), intent(in) :: name
    real(c_double), pointer, contiguous, intent(out) :: field(:, :, :)
    real(c_double), pointer, contiguous :: whole(:, :, :)
    integer(c_int64_t) :: bounds(5)
    type(c_ptr) :: first
    first = c_bounds(words(name), 3_c_int, bounds)
    call c_f_pointer(first, whole, bounds(3:5))
    field(bounds(1) + 1:, bounds(2) + 1:, 1:) => whole
  end subroutine

  !> Declare loops and what they touch: "height(west=1, north=2), u".
  subroutine halocline_kernel(loops, name, reads, writes, updates)
    procedure(halocline_loops) :: loops
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: reads, writes, updates
    call c_kernel(1_c_int, c_funloc(loops), words(name), words(reads), words(writes), words(updates))
  end subroutine

  !> Run declared loops on all cells of this rank.
  subroutine halocline_run(loops)
    procedure(halocline_loops) :: loops
    call c_run(c_funloc(loops))
  end subroutine

  real(c_double) function halocline_sum(name)
    character(len=*), intent(in) :: name
    halocline_sum = c_sum(words(name))
  end function

  real(c_double) function halocline_largest(name)
    character(len=*), intent(in) :: name
    halocline_largest = c_largest(words(name))
  end function

  integer function halocline_rows()
    halocline_rows = int(c_rows())
  end function

  integer function halocline_columns()
    halocline_columns = int(c_columns())
  end function

  logical function halocline_restarted()
    halocline_restarted = c_restarted() /= 0
  end function

  !> Which cells this rank has: column + (row - 1) * columns, both from 1.
  subroutine cells_line(numbers, longitude, latitude)
    integer, intent(in) :: numbers(:)
    real(c_double), intent(in), optional, target, contiguous :: longitude(:), latitude(:)
    type(c_ptr) :: east, north
    east = c_null_ptr
    north = c_null_ptr
    if (present(longitude)) east = c_loc(longitude)
    if (present(latitude)) north = c_loc(latitude)
    call c_cells(size(numbers, kind=c_int64_t), int(numbers, c_int64_t) - 1_c_int64_t, east, north)
  end subroutine

  subroutine cells_plane(numbers, longitude, latitude)
    integer, intent(in) :: numbers(:, :)
    real(c_double), intent(in), optional, target, contiguous :: longitude(:, :), latitude(:, :)
    type(c_ptr) :: east, north
    east = c_null_ptr
    north = c_null_ptr
    if (present(longitude)) east = c_loc(longitude)
    if (present(latitude)) north = c_loc(latitude)
    call c_cells(size(numbers, kind=c_int64_t), int([numbers], c_int64_t) - 1_c_int64_t, &
      east, north)
  end subroutine

  subroutine halocline_gives(name, units)
    character(len=*), intent(in) :: name, units
    call c_gives(trim(name)//c_null_char, trim(units)//c_null_char)
  end subroutine

  subroutine halocline_takes(name, units)
    character(len=*), intent(in) :: name, units
    call c_takes(trim(name)//c_null_char, trim(units)//c_null_char)
  end subroutine

  subroutine put_line(name, values)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: values(:)
    call c_put(trim(name)//c_null_char, size(values, kind=c_int64_t), values)
  end subroutine

  subroutine put_plane(name, values)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: values(:, :)
    call c_put(trim(name)//c_null_char, size(values, kind=c_int64_t), values)
  end subroutine

  subroutine take_line(name, values)
    character(len=*), intent(in) :: name
    real(c_double), intent(out) :: values(:)
    call c_take(trim(name)//c_null_char, size(values, kind=c_int64_t), values)
  end subroutine

  subroutine take_plane(name, values)
    character(len=*), intent(in) :: name
    real(c_double), intent(out) :: values(:, :)
    call c_take(trim(name)//c_null_char, size(values, kind=c_int64_t), values)
  end subroutine

  logical function halocline_step()
    halocline_step = c_step() /= 0
  end function

end module

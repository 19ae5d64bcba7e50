!> Shallow water in a channel that joins its ends, with an island: parallel by declarations.
!!
!! halocline compile gfortran -O2 -ffp-contract=off declared.f90 -o declared && halocline run . -n 2
module water
  use halocline
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer :: nx = 60, ny = 40 ! columns and rows
  real(dp) :: dt = 120.0_dp ! [s]
  real(dp), parameter :: dx = 1.0e4_dp ! [m]
  real(dp), parameter :: gravity = 9.81_dp ! [m s-2]
  real(dp), parameter :: coriolis = 1.0e-4_dp ! [s-1]
  real(dp), parameter :: bump = 1.0_dp ! [m]
  real(dp), pointer, contiguous, dimension(:, :) :: depth, height ! at centres [m]
  real(dp), pointer, contiguous, dimension(:, :) :: u, flux_x ! at western faces [m s-1], [m2 s-1]
  real(dp), pointer, contiguous, dimension(:, :) :: v, flux_y ! at southern faces

contains

  !> A bump on water at rest.
  subroutine start(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        height(i, j) = 0.0_dp
        if (depth(i, j) > 0.0_dp) &
          height(i, j) = bump / (1.0_dp + ((i - 0.3_dp * nx)**2 + (j - 0.4_dp * ny)**2) / 16.0_dp)**2
      end do
    end do
  end subroutine

  !> Volume flux through western faces.
  subroutine flow_x(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        flux_x(i, j) = 0.5_dp * u(i, j) &
          * (depth(i - 1, j) + height(i - 1, j) + depth(i, j) + height(i, j))
      end do
    end do
  end subroutine

  !> Volume flux through southern faces.
  subroutine flow_y(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        flux_y(i, j) = 0.5_dp * v(i, j) &
          * (depth(i, j - 1) + height(i, j - 1) + depth(i, j) + height(i, j))
      end do
    end do
  end subroutine

  !> What flows in lifts the surface.
  subroutine fill(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        height(i, j) = height(i, j) + dt * ((flux_x(i, j) - flux_x(i + 1, j)) / dx &
          + (flux_y(i, j) - flux_y(i, j + 1)) / dx)
      end do
    end do
  end subroutine

  !> Velocity along x, by the slope of the surface and the turning of the earth; 0 at land.
  subroutine push_x(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        if (min(depth(i - 1, j), depth(i, j)) > 0.0_dp) then
          u(i, j) = u(i, j) + dt * (coriolis * 0.25_dp &
            * (v(i - 1, j) + v(i, j) + v(i - 1, j + 1) + v(i, j + 1)) &
            - gravity * (height(i, j) - height(i - 1, j)) / dx)
        else
          u(i, j) = 0.0_dp
        end if
      end do
    end do
  end subroutine

  !> Velocity along y.
  subroutine push_y(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j
    do j = js, je
      do i = is, ie
        if (min(depth(i, j - 1), depth(i, j)) > 0.0_dp) then
          v(i, j) = v(i, j) - dt * (coriolis * 0.25_dp &
            * (u(i, j - 1) + u(i + 1, j - 1) + u(i, j) + u(i + 1, j)) &
            + gravity * (height(i, j) - height(i, j - 1)) / dx)
        else
          v(i, j) = 0.0_dp
        end if
      end do
    end do
  end subroutine
end module

program declared
  use water
  implicit none
  real(dp) :: volume
  call halocline_join()
  nx = halocline_columns()
  ny = halocline_rows()
  dt = halocline_step_length()
  call halocline_field("depth", depth)
  call halocline_field("height", height)
  call halocline_field("u", u)
  call halocline_field("flux_x", flux_x)
  call halocline_field("v", v)
  call halocline_field("flux_y", flux_y)

  call halocline_kernel(start, "start", reads="depth", writes="height")
  call halocline_kernel(flow_x, "flow_x", reads="depth(west=1), height(west=1), u", writes="flux_x")
  call halocline_kernel(flow_y, "flow_y", reads="depth(south=1), height(south=1), v", writes="flux_y")
  call halocline_kernel(fill, "fill", reads="flux_x(east=1), flux_y(north=1)", updates="height")
  call halocline_kernel(push_x, "push_x", reads="depth(west=1), height(west=1), v(west=1, north=1)", &
    updates="u")
  call halocline_kernel(push_y, "push_y", reads="depth(south=1), height(south=1), u(south=1, east=1)", &
    updates="v")

  if (.not. halocline_restarted()) call halocline_run(start)
  do while (halocline_step())
    call halocline_run(flow_x)
    call halocline_run(flow_y)
    call halocline_run(fill)
    call halocline_run(push_x)
    call halocline_run(push_y)
  end do
  volume = halocline_sum("height") * dx**2
  if (halocline_rank() == 0) print "(a, es23.16)", "volume above rest [m3] ", volume
  call halocline_end()
end program

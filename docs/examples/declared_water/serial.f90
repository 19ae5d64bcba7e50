!> Shallow water in a channel that joins its ends, with an island: a serial program.
!!
!! gfortran -O2 -ffp-contract=off serial.f90 -o serial && ./serial
module water
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer :: nx = 60, ny = 40 ! columns and rows
  real(dp) :: dt = 120.0_dp ! [s]
  real(dp), parameter :: dx = 1.0e4_dp ! [m]
  real(dp), parameter :: gravity = 9.81_dp ! [m s-2]
  real(dp), parameter :: coriolis = 1.0e-4_dp ! [s-1]
  real(dp), parameter :: bump = 1.0_dp ! [m]
  real(dp), allocatable, dimension(:, :) :: depth, height ! at centres [m]
  real(dp), allocatable, dimension(:, :) :: u, flux_x ! at western faces [m s-1], [m2 s-1]
  real(dp), allocatable, dimension(:, :) :: v, flux_y ! at southern faces

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

  !> Join the ends of the channel.
  subroutine wrap(field)
    real(dp), intent(inout) :: field(0:, 0:)
    field(0, :) = field(nx, :)
    field(nx + 1, :) = field(1, :)
  end subroutine
end module

program serial
  use water
  implicit none
  integer, parameter :: steps = 720
  integer :: step
  allocate (depth(0:nx + 1, 0:ny + 1), height(0:nx + 1, 0:ny + 1), u(0:nx + 1, 0:ny + 1), &
    flux_x(0:nx + 1, 0:ny + 1), v(0:nx + 1, 0:ny + 1), flux_y(0:nx + 1, 0:ny + 1))
  depth = 0.0_dp
  depth(1:nx, 1:ny) = 100.0_dp
  depth(36:40, 15:22) = 0.0_dp
  call wrap(depth)
  height = 0.0_dp
  u = 0.0_dp
  v = 0.0_dp

  call start(1, nx, 1, ny)
  call wrap(height)
  do step = 1, steps
    call flow_x(1, nx, 1, ny)
    call flow_y(1, nx, 1, ny + 1)
    call wrap(flux_x)
    call fill(1, nx, 1, ny)
    call wrap(height)
    call push_x(1, nx, 1, ny)
    call wrap(u)
    call push_y(1, nx, 1, ny + 1)
    call wrap(v)
  end do
  print "(a, es23.16)", "volume above rest [m3] ", sum(height(1:nx, 1:ny)) * dx**2

  open (10, file="serial.bin", access="stream", status="replace")
  write (10) height(1:nx, 1:ny), u(1:nx, 1:ny), v(1:nx, 1:ny + 1)
  close (10)
end program

!> A slab ocean in Fortran, computed beside members of Halocline: case.toml says with which.
!!
!! halocline compile gfortran -O2 slab.f90 -o slab && halocline run . -n 3
program slab
  use halocline
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: heat_capacity = 1025.0_dp * 3990.0_dp * 50.0_dp ! of 50 m of water [J m-2 K-1]
  integer :: columns, first, last, i, j
  integer, allocatable :: cells(:, :)
  real(dp), allocatable :: longitude(:, :), latitude(:, :)
  real(dp), allocatable :: temperature(:, :) ! [degree C]
  real(dp), allocatable :: heat(:, :) ! into the sea [W m-2]

  call halocline_join("slab")

  ! Each rank has a run of whole rows: how a program shares its cells is its own business.
  columns = halocline_columns()
  first = halocline_rows() * halocline_rank() / halocline_ranks() + 1
  last = halocline_rows() * (halocline_rank() + 1) / halocline_ranks()
  allocate (cells(columns, first:last), longitude(columns, first:last), latitude(columns, first:last))
  allocate (temperature(columns, first:last), heat(columns, first:last))
  do j = first, last
    do i = 1, columns
      cells(i, j) = i + (j - 1) * columns
      longitude(i, j) = 5.0_dp + 10.0_dp * (i - 1)
      latitude(i, j) = -55.0_dp + 10.0_dp * (j - 1)
      temperature(i, j) = 25.0_dp - 0.0078125_dp * latitude(i, j) * latitude(i, j)
    end do
  end do
  call halocline_cells(cells, longitude, latitude)
  call halocline_gives("surface_temperature", "degree_C")
  call halocline_takes("heat_flux_into_sea", "W m-2")

  if (halocline_restarted()) then
    call halocline_take("temperature", temperature)
  else
    call halocline_put("surface_temperature", temperature)
    call halocline_put("temperature", temperature)
  end if

  do while (halocline_step())
    call halocline_take("heat_flux_into_sea", heat)
    temperature = temperature + halocline_step_length() * heat / heat_capacity
    call halocline_put("surface_temperature", temperature)
    call halocline_put("temperature", temperature)
  end do
  call halocline_end()
end program

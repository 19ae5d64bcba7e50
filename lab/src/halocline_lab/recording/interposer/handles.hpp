// The constants of an MPI library that are addresses in it: known when it has been loaded.
#pragma once

#include <mpi.h>

namespace halocline {

struct Handles {
  MPI_Comm world, no_communicator;
  MPI_Datatype byte, long_integer;
  MPI_Info no_info;
};

}  // namespace halocline

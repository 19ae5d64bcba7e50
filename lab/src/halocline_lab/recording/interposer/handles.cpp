// A library of its own: it is loaded after MPI, so that what is loaded before need not refer to
// MPI.
#include "handles.hpp"

extern "C" __attribute__((visibility("default"))) void halocline_handles(
    halocline::Handles* handles) {
  *handles = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_BYTE, MPI_INT64_T, MPI_INFO_NULL};
}

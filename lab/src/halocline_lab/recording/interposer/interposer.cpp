// Records what an MPI program does, from outside: loaded before its MPI library (LD_PRELOAD).
//
// Built by `halocline lab record` against the program's own mpi.h; the wrappers of the calls are
// written by interposer_wrappers.py. Recording begins in MPI_Init; before, and in processes that
// never call it, every wrapper only calls what it wraps.
#include "call.hpp"
#include "collectives.hpp"
#include "functions.hpp"
#include "lifetime.hpp"
#include "marks.hpp"
#include "threads.hpp"

namespace halocline {
#include "wrappers.inc"
}  // namespace halocline

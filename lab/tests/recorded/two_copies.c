// Loads two libraries, each with its own copy of libgomp, as Python's wheels do.
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

static int (*size_in(const char* path, int threads))(void) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  ((void (*)(int))dlsym(library, "team_set"))(threads);
  return (int (*)(void))dlsym(library, "team_size");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int (*first)(void) = size_in(argv[1], 3);
  int (*second)(void) = size_in(argv[2], 2);
  const int right =
      first != NULL && second != NULL && first() == 3 && second() == 2 && first() == 3;
  MPI_Finalize();
  return right ? 0 : 1;
}

// A disk that serves one process at a time, so many bytes per second, for planted faults: preload it,
// and files named *.slow are on it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const double bytes_per_second = 200e6;

/// Wait for the disk, and as long as it takes for `count` bytes of a file on it.
static void serve(int file, ssize_t count) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (count <= 0 || length < 5 || memcmp(path + length - 5, ".slow", 5) != 0) return;
  path[length] = 0;
  FILE* const queue = fopen(path, "r");
  if (queue == NULL) return;
  flock(fileno(queue), LOCK_EX);
  const double seconds = (double)count / bytes_per_second;
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
  fclose(queue);
}

#define SLOW(name, arguments, values)                                      \
  ssize_t name arguments {                                                 \
    ssize_t(*const real) arguments = (ssize_t(*) arguments)dlsym(RTLD_NEXT, #name); \
    const ssize_t done = real values;                                      \
    serve(file, done);                                                     \
    return done;                                                           \
  }

SLOW(read, (int file, void* to, size_t count), (file, to, count))
SLOW(pread, (int file, void* to, size_t count, off_t at), (file, to, count, at))
SLOW(pread64, (int file, void* to, size_t count, off64_t at), (file, to, count, at))
SLOW(preadv, (int file, const struct iovec* to, int count, off_t at), (file, to, count, at))
SLOW(preadv64, (int file, const struct iovec* to, int count, off64_t at), (file, to, count, at))
SLOW(write, (int file, const void* from, size_t count), (file, from, count))
SLOW(pwrite, (int file, const void* from, size_t count, off_t at), (file, from, count, at))
SLOW(pwrite64, (int file, const void* from, size_t count, off64_t at), (file, from, count, at))
SLOW(pwritev, (int file, const struct iovec* from, int count, off_t at), (file, from, count, at))
SLOW(readv, (int file, const struct iovec* to, int count), (file, to, count))

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "bind.hpp"

using namespace halocline;

/// `handle` is that of pidfd_open, or -1 where the kernel has none (Linux before 5.3).
static void wait_for_the_end_of(pid_t parent, int handle) {
  pollfd watched{handle, POLLIN, 0};
  while (handle >= 0 && poll(&watched, 1, -1) != 1) {
  }
  while (handle < 0 && getppid() == parent)
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

/// A thread and not PR_SET_PDEATHSIG, which fires when the launcher's thread ends that made the
/// process; in C++, so that kernels that hold the interpreter's lock cannot delay it.
static void end_with_parent() {
  static bool begun = false;
  if (begun) return;
  begun = true;
  const pid_t parent = getppid();
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  if (getppid() != parent) kill(getpid(), SIGKILL);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([parent, handle] {
    wait_for_the_end_of(parent, handle);
    kill(getpid(), SIGKILL);
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HALOCLINE_BIND(parent) { module.def("end_with_parent", &end_with_parent); }

// Ranks that are ended before MPI_Finalize: by which signal, and what they leave.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>

#include "call.hpp"

namespace halocline {

inline constexpr std::array deadly{SIGHUP, SIGINT, SIGQUIT, SIGILL,  SIGABRT,
                                   SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGXCPU};

/// What the program, or the MPI library, does at each signal.
inline std::array<struct sigaction, 65> former{};

inline pid_t watched_process = 0;

/// What stands for a signal where the process calls _exit.
inline constexpr int exits = -1;

inline void note_end(int number) {
  Recorder* const all = recorder.load();
  if (all == nullptr || getpid() != watched_process) return;
  // Handlers of a signal may end with SIGABRT or _exit.
  if ((number == SIGABRT || number == exits) && all->story.signal != 0) return;
  all->story.signalled = now_ns();
  all->story.signal = number;
}

/// Leave the processor to the other ranks of this machine for a moment, so that they too are told.
/// Open MPI's launcher sends SIGTERM to all and SIGKILL as soon as the first has ended: 1.3 ms
/// later where that one ends at once, which a rank that waits for a core does not live to see.
inline void let_others_be_told(int number) {
  if (number != SIGTERM && number != SIGINT && number != SIGHUP) return;
  const timespec moment{0, 300'000'000};
  nanosleep(&moment, nullptr);
}

/// Note the signal, then do what would have been done.
inline void note_signal(int number, siginfo_t* info, void* context) {
  note_end(number);
  const struct sigaction& before = former[static_cast<std::size_t>(number)];
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler == SIG_DFL) {
    let_others_be_told(number);
    sigaction(number, &before, nullptr);
    raise(number);  // it comes when this handler has returned
  } else {
    before.sa_handler(number);
  }
}

inline void watch_signals() {
  for (const int number : deadly) {
    struct sigaction& before = former[static_cast<std::size_t>(number)];
    if (sigaction(number, nullptr, &before) != 0) continue;
    const bool ignored = (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN;
    if (ignored || before.sa_sigaction == &note_signal) continue;
    struct sigaction ours = before;
    ours.sa_sigaction = &note_signal;
    ours.sa_flags = (before.sa_flags | SA_SIGINFO | SA_ONSTACK) & ~SA_RESETHAND;
    sigaction(number, &ours, nullptr);
  }
}

/// Processes that a rank forks are no ranks.
inline void forget_in_child() { recorder.store(nullptr); }

inline void watch() {
  watched_process = getpid();
  watch_signals();
  pthread_atfork(nullptr, nullptr, &forget_in_child);
}

}  // namespace halocline

#define HALOCLINE_EXIT(symbol)                                                                \
  extern "C" HALOCLINE_SHOWN [[noreturn]] void halocline_##symbol(int code) __asm__(#symbol); \
  void halocline_##symbol(int code) {                                                         \
    halocline::note_end(halocline::exits);                                                    \
    for (;;) syscall(SYS_exit_group, code);                                                   \
  }

HALOCLINE_EXIT(_exit)
HALOCLINE_EXIT(_Exit)

/// Write the part of a rank from what it left; 0: done, 1: it left too little.
extern "C" HALOCLINE_SHOWN int halocline_salvage(const char* left, const char* part) {
  using namespace halocline;
  mapped_memory = MappedMemory::open(left);
  if (mapped_memory == nullptr || mapped_memory->root == nullptr) return 1;
  const auto* const story = static_cast<const Story*>(mapped_memory->root);
  story->recording.ended(story->signalled);
  return story->write(part) ? 0 : 1;
}

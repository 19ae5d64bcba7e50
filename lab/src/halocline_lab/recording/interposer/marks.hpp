// What a program tells about itself, through MPI_Pcontrol (see regions/halocline_regions.h).
#pragma once

#include <cstdarg>

#include "lifetime.hpp"
#include "regions/halocline_regions.h"

namespace halocline {

/// Names that languages without pointers have spelled, and the regions that are open.
class Marks {
 public:
  void begin(Recorder& all, const std::string& name) {
    all.recording.begin(all.recording.region(name, "phase"));
  }

  void begin_numbered(Recorder& all, int number) {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(number);
    begin(all, found != names_.end() ? found->second : "region " + std::to_string(number));
  }

  void letter(int code) { spelled().push_back(static_cast<char>(code)); }

  void named(int number) {
    const std::lock_guard lock(mutex_);
    names_[number] = spelled();
    spelled().clear();
  }

  void step(Recorder& all) {
    end_steps(all);
    all.recording.step_begin();
    begin(all, "step");
    stepping_ = true;
  }

  void end_steps(Recorder& all) {
    if (!stepping_) return;
    all.recording.end();
    all.recording.step_end();
    stepping_ = false;
  }

 private:
  static std::string& spelled() {
    static thread_local std::string text;
    return text;
  }

  std::mutex mutex_;
  std::unordered_map<int, std::string> names_;
  bool stepping_ = false;
};

inline Marks& marks() {
  static Marks* const all = new Marks;
  return *all;
}

/// Is it for us, and what.
inline bool marked(int level, const char* name) {
  const int mark = level - HALOCLINE_MARK;
  if (mark < 0 || mark >= HALOCLINE_MARKS) return false;
  Recorder* const all = recorder.load(std::memory_order_acquire);
  const int number = mark % HALOCLINE_NUMBERS;
  switch (mark / HALOCLINE_NUMBERS) {
    case HALOCLINE_LETTER:
      marks().letter(number);
      break;
    case HALOCLINE_NAMED:
      marks().named(number);
      break;
    case HALOCLINE_BEGIN_NUMBER:
      if (all != nullptr) marks().begin_numbered(*all, number);
      break;
    case HALOCLINE_BEGIN_NAME:
      if (all != nullptr) marks().begin(*all, name != nullptr ? name : "region");
      break;
    case HALOCLINE_END:
      if (all != nullptr) all->recording.end();
      break;
    case HALOCLINE_STEP:
      if (all != nullptr) marks().step(*all);
      break;
    default:
      if (all != nullptr) marks().end_steps(*all);
  }
  return true;
}

/// Marks as names of a communicator: what a binding that has no MPI_Pcontrol of ours can give.
inline bool marked(std::string_view words) {
  constexpr std::string_view ours = "halocline:", begins = "begin:";
  if (words.substr(0, ours.size()) != ours) return false;
  words.remove_prefix(ours.size());
  Recorder* const all = recorder.load(std::memory_order_acquire);
  if (all == nullptr) return true;
  if (words.substr(0, begins.size()) == begins)
    marks().begin(*all, std::string(words.substr(begins.size())));
  else if (words == "end")
    all->recording.end();
  else if (words == "step")
    marks().step(*all);
  else
    marks().end_steps(*all);
  return true;
}

}  // namespace halocline

extern "C" HALOCLINE_SHOWN int halocline_set_name(MPI_Comm comm,
                                                  const char* name) __asm__("MPI_Comm_set_name");
int halocline_set_name(MPI_Comm comm, const char* name) {
  static halocline::Real<int(MPI_Comm, const char*)> real{"MPI_Comm_set_name"};
  if (name != nullptr && halocline::marked(name)) return MPI_SUCCESS;
  real.find(HERE);
  return real(comm, name);
}

extern "C" HALOCLINE_SHOWN int halocline_pcontrol(const int level, ...) __asm__("MPI_Pcontrol");
int halocline_pcontrol(const int level, ...) {
  const char* name = nullptr;
  if (level == HALOCLINE_MARK + HALOCLINE_BEGIN_NAME * HALOCLINE_NUMBERS) {
    va_list rest;
    va_start(rest, level);
    name = va_arg(rest, const char*);
    va_end(rest);
  }
  if (halocline::marked(level, name)) return MPI_SUCCESS;
  static halocline::Real<int(int, ...)> real{"MPI_Pcontrol"};
  real.find(HERE);
  return real(level);
}

#define HALOCLINE_FORTRAN_PCONTROL(own, symbol)                                          \
  extern "C" HALOCLINE_SHOWN void own(MPI_Fint* level, MPI_Fint* error) __asm__(symbol); \
  void own(MPI_Fint* level, MPI_Fint* error) {                                           \
    static halocline::Real<void(MPI_Fint*, MPI_Fint*)> real{symbol};                     \
    if (halocline::marked(*level, nullptr)) return;                                      \
    real.find(HERE);                                                                     \
    real(level, error);                                                                  \
  }
HALOCLINE_FORTRAN_PCONTROL(halocline_pcontrol_f, "mpi_pcontrol_")
HALOCLINE_FORTRAN_PCONTROL(halocline_pcontrol_f08, "mpi_pcontrol_f08_")

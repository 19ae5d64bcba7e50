// Functions of a program that was compiled with -finstrument-functions: a region each.
#pragma once

#include <unordered_map>
#include <vector>

#include "lifetime.hpp"

namespace halocline {

/// What this thread is in, and the regions of functions that it knows.
struct Entered {
  std::vector<const void*> open;
  std::unordered_map<const void*, std::uint32_t> regions;
};

inline Entered& entered() {
  static thread_local auto* const all = new Entered;  // threads may end after their destructors
  return *all;
}

/// `lab record` gives the region the name of the function at this place.
inline void enter(const void* function) {
  Recorder* const all = recorder.load(std::memory_order_acquire);
  if (all == nullptr || inside) return;
  Entered& mine = entered();
  const auto [found, added] = mine.regions.try_emplace(function);
  if (added)
    found->second = all->recording.region("function", "phase",
                                          place_of(static_cast<const char*>(function) + 1));
  all->recording.begin(found->second);
  mine.open.push_back(function);
}

/// Functions that were entered before recording began are not left.
inline void leave(const void* function) {
  Recorder* const all = recorder.load(std::memory_order_acquire);
  if (all == nullptr || inside) return;
  Entered& mine = entered();
  if (mine.open.empty() || mine.open.back() != function) return;
  mine.open.pop_back();
  all->recording.end();
}

}  // namespace halocline

extern "C" HALOCLINE_SHOWN void __cyg_profile_func_enter(void* function, void*);
void __cyg_profile_func_enter(void* function, void*) { halocline::enter(function); }
extern "C" HALOCLINE_SHOWN void __cyg_profile_func_exit(void* function, void*);
void __cyg_profile_func_exit(void* function, void*) { halocline::leave(function); }

// Finding the functions that are wrapped: the next one behind us, wherever it was loaded.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace halocline {

/// The object (program or library) that holds an address.
inline const void* object_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

inline const void* own_object() {
  static const void* const object = object_of(reinterpret_cast<const void*>(&object_of));
  return object;
}

inline void* in_library(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return found != nullptr && object_of(found) != own_object() ? found : nullptr;
}

inline int collect_object(dl_phdr_info* info, std::size_t, void* list) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
    static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
  return 0;
}

/// The function that a call from `caller` would have reached without us; null where there is none.
///
/// Behind us in the global order; else in what the caller was linked with (libraries that Python
/// loads for itself are in no global order); else in any loaded library.
inline void* next_function(const char* name, const void* caller) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    if (void* const found = in_library(info.dli_fname, name)) return found;
  }
  std::vector<std::string> objects;
  dl_iterate_phdr(collect_object, &objects);
  for (const std::string& object : objects) {
    if (void* const found = in_library(object.c_str(), name)) return found;
  }
  return nullptr;
}

inline void* next_or_end(const char* name, const void* caller) {
  void* const found = next_function(name, caller);
  if (found == nullptr) {
    std::fprintf(stderr, "halocline lab record: the MPI library has no '%s', which was called.\n",
                 name);
    std::abort();
  }
  return found;
}

/// A wrapped function, found at its first call.
template <class Signature>
class Real {
 public:
  explicit constexpr Real(const char* name) : name_(name) {}

  void find(const void* caller) {
    if (found_.load(std::memory_order_relaxed) == nullptr)
      found_.store(next_or_end(name_, caller), std::memory_order_relaxed);
  }

  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    const auto function = reinterpret_cast<Signature*>(found_.load(std::memory_order_relaxed));
    return function(arguments...);
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

/// A function of the profiling interface that the recorder itself calls.
template <class Signature>
class Late {
 public:
  explicit constexpr Late(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    void* function = found_.load(std::memory_order_relaxed);
    if (function == nullptr) {
      function = next_or_end(name_, nullptr);
      found_.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Signature*>(function)(arguments...);
  }

 private:
  const char* name_;
  mutable std::atomic<void*> found_{nullptr};
};

}  // namespace halocline

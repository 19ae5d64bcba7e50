// Regions by where they are called: one per function of MPI and place of the program.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "python_site.hpp"
#include "recording.hpp"

namespace halocline {

/// A wrapped function: its name, and the kind of its events.
struct Function {
  const char* name;
  const char* kind;
};

/// What a place of the program does: the call itself, and what the call starts or ends.
enum class Deed { itself, start_send, start_receive, start_collective, completion, count };

/// The regions of one place, made when first needed.
class Site {
 public:
  Site(const Function& function, std::string text) : function_(function), text_(std::move(text)) {
    for (auto& number : numbers_) number.store(-1, std::memory_order_relaxed);
  }

  /// `gaps`: of data that are not contiguous, which have a region of their own.
  std::uint32_t region(Recording& recording, Deed deed = Deed::itself, bool gaps = false) const {
    static constexpr std::array kinds{"", "start send", "start receive", "start collective",
                                      "completion"};
    constexpr auto deeds = static_cast<std::size_t>(Deed::count);
    auto& number = numbers_[static_cast<std::size_t>(deed) + (gaps ? deeds : 0)];
    std::int64_t known = number.load(std::memory_order_relaxed);
    if (known < 0) {
      const char* kind =
          deed == Deed::itself ? function_.kind : kinds[static_cast<std::size_t>(deed)];
      const std::string name = std::string(function_.name) + (gaps ? " of derived type" : "");
      known = recording.region(name, kind, text_);
      number.store(known, std::memory_order_relaxed);
    }
    return static_cast<std::uint32_t>(known);
  }

 private:
  const Function& function_;
  std::string text_;
  mutable std::array<std::atomic<std::int64_t>, 2 * static_cast<std::size_t>(Deed::count)> numbers_;
};

/// Where an address is: "PATH+0xOFFSET in SYMBOL"; `lab record` finds the line of it.
inline std::string place_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  const auto* const before = static_cast<const char*>(address) - 1;  // the call, not what follows
  if (dladdr1(before, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return "";
  std::string path = map != nullptr && map->l_name != nullptr ? map->l_name : "";
  if (path.empty()) {
    std::array<char, 4096> program{};
    if (readlink("/proc/self/exe", program.data(), program.size() - 1) > 0) path = program.data();
  }
  std::array<char, 32> offset{};
  const auto load = map != nullptr ? static_cast<std::uintptr_t>(map->l_addr) : 0;
  std::snprintf(offset.data(), offset.size(), "+0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(before) - load));
  path += offset.data();
  const ElfW(Sym)* symbol = nullptr;
  if (dladdr1(before, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
              RTLD_DL_SYMENT) != 0 &&
      symbol != nullptr && info.dli_sname != nullptr &&
      before < static_cast<const char*>(info.dli_saddr) + symbol->st_size)
    path.append(" in ").append(info.dli_sname);
  return path;
}

class Sites {
 public:
  Sites() { python.find(); }

  /// The regions of a call; valid until the end of the process.
  const Site* of(const Function& function, const void* address) {
    const auto known = [this, &function, address](const PythonPlace& place) {
      return cached({&function, address, place.code, place.instruction}) == nullptr &&
             !found_in_all({&function, address, place.code, place.instruction});
    };
    const auto describe = [this, &function, address](const PythonPlace& place,
                                                     const std::string& text) {
      add({&function, address, place.code, place.instruction}, text);
    };
    const PythonPlace place = python.place(known, describe);
    const Key key{&function, address, place.code, place.instruction};
    if (const Site* const site = cached(key)) return site;
    const Site* site = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = all_.find(key);
      if (found != all_.end()) site = found->second.get();
    }
    if (site == nullptr) site = add(key, place_of(address));
    near(key) = {key, site};
    return site;
  }

  Python python;

 private:
  using Key = std::tuple<const Function*, const void*, void*, int>;
  struct Near {
    Key key;
    const Site* site;
  };

  /// Where this thread remembers a call.
  static Near& near(const Key& key) {
    static thread_local constinit std::array<Near, 256> all{};
    return all[slot(key)];
  }

  static std::size_t slot(const Key& key) {
    const auto number = [](const void* pointer) {
      return reinterpret_cast<std::uintptr_t>(pointer);
    };
    const std::uint64_t mixed =
        (number(std::get<0>(key)) >> 4 ^ number(std::get<1>(key)) ^ number(std::get<2>(key)) >> 5) +
        static_cast<std::uint64_t>(std::get<3>(key));
    return mixed * 0x9e3779b97f4a7c15ULL >> 56;
  }

  static const Site* cached(const Key& key) {
    const Near& one = near(key);
    return one.key == key ? one.site : nullptr;
  }

  bool found_in_all(const Key& key) {
    const std::lock_guard lock(mutex_);
    return all_.contains(key);
  }

  const Site* add(const Key& key, const std::string& text) {
    const std::lock_guard lock(mutex_);
    auto& site = all_[key];
    if (site == nullptr) site = std::make_unique<Site>(*std::get<0>(key), text);
    return site.get();
  }

  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Site>> all_;
};

}  // namespace halocline

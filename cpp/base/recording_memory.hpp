// Memory of a recording that outlives its process: a file that is mapped into it.
//
// Whatever ends the process, the file has what was recorded. Another process of the same program
// maps it at the same addresses and reads the same objects (`MappedMemory::open`).
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halocline {

/// A lock for a few instructions: cheaper than a mutex where threads seldom meet.
class ShortLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

/// Pieces of a mapped file; this object is at its begin. The file grows as it is used, and is whole
/// until the disk is full.
class MappedMemory {
 public:
  static constexpr std::size_t most = std::size_t{1} << 30;

  /// Map a new file; null where that cannot be done.
  static MappedMemory* create(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return nullptr;
    // Any place will do; at this one there is nothing in most processes.
    void* const wanted = reinterpret_cast<void*>(std::uintptr_t{1} << 40);
    void* const place = mmap(wanted, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    MappedMemory first;
    first.file_ = file;
    if (place != MAP_FAILED && first.grow(sizeof first)) {
      first.place_ = static_cast<char*>(place);
      auto* const memory = new (place) MappedMemory(first);
      return memory;
    }
    if (place != MAP_FAILED) munmap(place, most);
    ::close(file);
    ::unlink(path.c_str());
    return nullptr;
  }

  /// Map what an ended process has left, for reading; null where it is not whole.
  static MappedMemory* open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return nullptr;
    MappedMemory first;
    struct stat about{};
    void* place = MAP_FAILED;
    if (fstat(file, &about) == 0 && pread(file, &first, sizeof first, 0) == sizeof first &&
        first.magic_ == MappedMemory().magic_ && !first.beyond_) {
      place = mmap(first.place_, static_cast<std::size_t>(about.st_size), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
    }
    ::close(file);
    if (place == MAP_FAILED || place != first.place_) return nullptr;
    auto* const memory = static_cast<MappedMemory*>(place);
    memory->beyond_ = true;
    memory->lock_.unlock();
    return memory;
  }

  /// Some bytes; null where there are no more.
  void* take(std::size_t bytes) {
    const std::size_t kind = kind_of(bytes);
    lock_.lock();
    void* found = free_[kind];
    if (found != nullptr) {
      free_[kind] = *static_cast<void**>(found);
    } else if (const std::size_t size = std::size_t{1} << kind; grow(used_ + size)) {
      found = place_ + used_;
      used_ += size;
    }
    lock_.unlock();
    return found;
  }

  void give_back(void* bytes, std::size_t count) {
    const std::size_t kind = kind_of(count);
    lock_.lock();
    *static_cast<void**>(bytes) = free_[kind];
    free_[kind] = bytes;
    lock_.unlock();
  }

  bool holds(const void* bytes) const {
    const auto* const at = static_cast<const char*>(bytes);
    return at >= place_ && at < place_ + most;
  }

  /// Where the reader begins.
  void* root = nullptr;

 private:
  MappedMemory() = default;
  MappedMemory(const MappedMemory& other)
      : root(other.root),
        magic_(other.magic_),
        place_(other.place_),
        used_(sizeof other + alignment - sizeof other % alignment),
        length_(other.length_),
        file_(other.file_) {}

  static constexpr std::size_t alignment = 64, step = std::size_t{1} << 20;

  static std::size_t kind_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes > alignment ? bytes - 1 : alignment - 1));
  }

  /// Whether there are so many bytes; the disk has room for what the file has.
  bool grow(std::size_t bytes) {
    if (bytes <= length_) return !beyond_;
    const std::size_t wanted = (bytes + step - 1) / step * step;
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    beyond_ = beyond_ || wanted > most || wanted > limit.rlim_cur ||
              posix_fallocate(file_, 0, static_cast<off_t>(wanted)) != 0;
    if (!beyond_) length_ = wanted;
    return !beyond_;
  }

  std::uint64_t magic_ = 0x48414c4f4d454d31;
  char* place_ = nullptr;
  std::size_t used_ = 0, length_ = 0;
  int file_ = -1;
  bool beyond_ = false;  ///< some pieces are not in the file
  ShortLock lock_;
  std::array<void*, 64> free_{};
};

/// The memory of this process's recording; null: the ordinary one.
inline MappedMemory* mapped_memory = nullptr;

/// Takes from the mapped memory as long as there is some.
template <class T>
struct Lasting {
  using value_type = T;
  Lasting() = default;
  template <class Other>
  Lasting(const Lasting<Other>&) {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    void* found = mapped_memory != nullptr ? mapped_memory->take(count * sizeof(T)) : nullptr;
    return static_cast<T*>(found != nullptr ? found : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* some, std::size_t count) {
    if (mapped_memory != nullptr && mapped_memory->holds(some))
      mapped_memory->give_back(some, count * sizeof(T));
    else
      ::operator delete(some);
  }
  friend bool operator==(const Lasting&, const Lasting&) { return true; }
};

template <class T>
using LastingVector = std::vector<T, Lasting<T>>;
template <class T>
using LastingList = std::list<T, Lasting<T>>;
template <class Key, class T>
using LastingMap = std::unordered_map<Key, T, std::hash<Key>, std::equal_to<Key>,
                                      Lasting<std::pair<const Key, T>>>;
using LastingString = std::basic_string<char, std::char_traits<char>, Lasting<char>>;

}  // namespace halocline

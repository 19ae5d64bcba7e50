#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace halocline {

/// A growing, aligned scratch of one thread, cut into rows.
template <class T>
class Scratch {
 public:
  void reserve(std::size_t values) {
    if (values > capacity_) {
      data_.reset(static_cast<T*>(::operator new(values * sizeof(T), alignment)));
      capacity_ = values;
    }
    std::fill_n(data_.get(), values, T(0));
    used_ = 0;
  }
  T* take(std::size_t values) {
    T* begin = data_.get() + used_;
    used_ += values;
    return begin;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, alignment); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t capacity_ = 0, used_ = 0;
};

}  // namespace halocline

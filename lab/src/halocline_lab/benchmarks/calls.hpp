#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <utility>

#include "contract.hpp"
#include "view.hpp"

/// Kernels of 1, 5 and 21 arrays that do as little as kernels do, to time the calls around them.
namespace halocline {

inline constexpr std::array<const char*, 21> call_arguments{"total", "a", "b", "c", "d", "e", "f",
                                                            "g",     "h", "l", "m", "n", "o", "p",
                                                            "q",     "r", "s", "t", "u", "v", "w"};

template <std::size_t Count>
constexpr Contract<Count> add_up_contract(std::string_view name) {
  Contract<Count> contract{name, {}};
  for (std::size_t at = 0; at < Count; ++at)
    contract.arguments[at] = {call_arguments[at], at == 0 ? Access::update : Access::read,
                              Place::center, "1"};
  return contract;
}

template <class Places>
struct AddUp;

template <std::size_t... Places>
struct AddUp<std::index_sequence<Places...>> {
  template <std::size_t>
  using Read = View2<const double>;

  /// total += 1 + a + b + ..., `times` times over.
  ///
  /// @param[in]     box    cells to compute
  /// @param[in,out] total  shape (j, i)
  /// @param[in]     read   what is added, shapes (j, i)
  /// @param[in]     times  at least 1
  static void run(Box box, View2<double> total, Read<Places>... read, long long times) {
    for (long long time = 0; time < times; ++time) {
      for (int j = box.j0; j < box.j1; ++j) {
        double* to = total.row(j);
        for (int i = box.i0; i < box.i1; ++i) to[i] += (1.0 + ... + read(j, i));
      }
      std::atomic_signal_fence(std::memory_order_seq_cst);  // no two times are joined
    }
  }
};

}  // namespace halocline

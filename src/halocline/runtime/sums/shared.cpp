#include "runtime/sums/shared.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "runtime/ranks/patience.hpp"

using namespace halocline;

/// Address of the first slot and distance of slots [byte]; address 0 for none.
using Where = std::pair<std::uintptr_t, std::ptrdiff_t>;

static Entry entry(const Where& where) {
  return {reinterpret_cast<std::byte*>(where.first), where.second};
}

static const auto patiently = [](auto&& ready) {
  for (int spin = 0; spin < spins; ++spin) {
    if (ready()) return;
    relax();
  }
  wait_patiently(ready);
};

template <class Signal>
static void bind_sum(nb::module_& module, const char* name) {
  using Sum = SharedSum<Signal>;
  nb::class_<Sum>(module, name)
      .def(
          "__init__",
          [](Sum* self, std::ptrdiff_t count, const std::vector<Where>& sources, Where up,
             Where result_from, Where down, bool everyone) {
            Part part{{}, entry(up), entry(result_from), entry(down), everyone};
            for (const Where& source : sources) part.sources.push_back(entry(source));
            new (self) Sum(std::move(part), count);
          },
          "count"_a, "sources"_a, "up"_a, "result_from"_a, "down"_a, "everyone"_a)
      .def(
          "start", [](Sum& self, View1<const double> values) { return self.start(values.data); },
          "values"_a)
      .def(
          "gather",
          [](Sum& self, std::uint64_t sequence, View1<double> sums) {
            self.gather(sequence, sums.data, patiently);
          },
          "sequence"_a, "sums"_a)
      .def(
          "spread",
          [](Sum& self, std::uint64_t sequence, View1<double> sums) {
            self.spread(sequence, sums.data, patiently);
          },
          "sequence"_a, "sums"_a)
      .def(
          "finish",
          [](Sum& self, std::uint64_t sequence, View1<double> sums) {
            self.gather(sequence, sums.data, patiently);
            self.spread(sequence, sums.data, patiently);
          },
          "sequence"_a, "sums"_a)
      .def(
          "add",
          [](Sum& self, View1<const double> values, View1<double> sums) {
            const std::uint64_t sequence = self.start(values.data);
            self.gather(sequence, sums.data, patiently);
            self.spread(sequence, sums.data, patiently);
          },
          "values"_a, "sums"_a)
      .def_ro_static("words_before", &Signal::words_before);
}

HALOCLINE_BIND(sum_shared) {
  bind_sum<ByFlag>(module, "SumByFlags");
  bind_sum<BySentinel>(module, "SumBySentinels");
  module.attr("sum_slots") = slot_count;
}

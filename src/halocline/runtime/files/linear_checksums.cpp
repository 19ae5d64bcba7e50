#include "runtime/files/linear_checksums.hpp"

#include "bind.hpp"

using namespace halocline;
using namespace halocline::checksums;

HALOCLINE_BIND(linear_checksums) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  module.def("crc32c_shift", &shift, "value"_a, "count"_a);
  module.def(
      "crc32c_linear",
      [](ConstBytes data) {
        return extend(0, data.data, static_cast<std::size_t>(data.extent[0]));
      },
      "data"_a, free);
  module.def(
      "crc32c_linear_plainly",
      [](ConstBytes data) {
        return extend_plainly(0, data.data, static_cast<std::size_t>(data.extent[0]));
      },
      "data"_a, free);
  module.def(
      "crc32c_runs",
      [](ConstBytes packed, Numbers starts, Numbers lengths, std::int64_t first, std::int64_t last,
         std::int64_t item, std::int64_t offset, std::int64_t row_bytes, Numbers bounds,
         std::int64_t hole, View1<std::uint32_t> sums) {
        RangeSums ranges(bounds, hole, sums);
        sum_runs(packed, starts, lengths, first, last, item, offset, row_bytes, ranges);
      },
      "packed"_a, "starts"_a, "lengths"_a, "first"_a, "last"_a, "item"_a, "offset"_a, "row_bytes"_a,
      "bounds"_a, "hole"_a, "sums"_a, free);
}

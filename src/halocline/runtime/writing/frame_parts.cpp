#include "runtime/writing/frame_parts.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>

#include "bind.hpp"

using namespace halocline;
using namespace halocline::frames;

using Source = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

static Rows rows_of(const Source& source) {
  const auto item = static_cast<std::int64_t>(source.itemsize());
  const auto rows = static_cast<std::int64_t>(source.shape(0));
  const auto columns = static_cast<std::int64_t>(source.shape(1));
  if (columns > 1 && rows > 0 && source.stride(1) != 1)
    refuse("The stride of the items of a row", 1, source.stride(1));
  return {static_cast<const std::uint8_t*>(source.data()), rows, columns, source.stride(0) * item,
          item};
}

HALOCLINE_BIND(frame_parts) {
  module.def(
      "pack_runs",
      [](const Source& source, Numbers starts, Numbers lengths, std::int64_t first,
         std::int64_t last, Bytes target) {
        const Rows rows = rows_of(source);
        const nb::gil_scoped_release free;
        pack_runs(rows, starts, lengths, first, last, target);
      },
      "source"_a, "starts"_a, "lengths"_a, "first"_a, "last"_a, "target"_a);
  module.def(
      "unpack_runs",
      [](ConstBytes packed, Numbers starts, Numbers lengths, std::int64_t first, std::int64_t last,
         std::int64_t first_column, Bytes target, std::int64_t row_length, std::string_view from,
         std::string_view to, std::optional<double> fill) {
        const ItemType packed_type(from), target_type(to);
        const nb::gil_scoped_release free;
        unpack_runs(packed, starts, lengths, first, last, first_column, target, row_length,
                    packed_type, target_type, fill ? &*fill : nullptr);
      },
      "packed"_a, "starts"_a, "lengths"_a, "first"_a, "last"_a, "first_column"_a, "target"_a,
      "row_length"_a, "packed_type"_a, "target_type"_a, "fill"_a.none());
  module.def("fill_items", &fill_items, "target"_a, "item"_a,
             nb::call_guard<nb::gil_scoped_release>());
}

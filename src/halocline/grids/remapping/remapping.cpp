#include "bind.hpp"
#include "grids/remapping/bilinear.hpp"
#include "grids/remapping/conservative.hpp"
#include "grids/remapping/patch.hpp"

using namespace halocline;
using namespace halocline::remapping;

namespace {

/// An array that keeps what is in a vector.
template <class Number>
nb::ndarray<nb::numpy, Number, nb::ndim<1>> array_of(std::vector<Number>&& numbers) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(
      kept, [](void* some) noexcept { delete static_cast<std::vector<Number>*>(some); });
  return {kept->data(), {kept->size()}, owner};
}

nb::tuple arrays_of(Rows&& rows) {
  return nb::make_tuple(array_of(std::move(rows.counts)), array_of(std::move(rows.numbers)),
                        array_of(std::move(rows.weights)));
}

/// Rows that are made while other threads of Python go on.
template <class Make>
nb::tuple rows_by(const Make& make) {
  Rows rows;
  {
    const nb::gil_scoped_release free;
    rows = make();
  }
  return arrays_of(std::move(rows));
}

using Flags = View1<const std::uint8_t>;
using Around = View2<const std::int32_t>;

/// Sums of weighted values, row after row: found[k, n] = sum of weight * values[k, place].
template <class Number>
void weighted_sums(View1<const std::int64_t> ends, View1<const std::int64_t> places,
                   View1<const double> weights, View2<const Number> values, View2<Number> found) {
  for_pairs<std::ptrdiff_t>(
      values.extent[0], 0, found.extent[1], 4096, [&](std::ptrdiff_t row, std::ptrdiff_t first) {
        const Number* from = values.row(row);
        Number* to = found.row(row);
        const std::ptrdiff_t last = std::min(first + 4096, found.extent[1]);
        for (std::ptrdiff_t target = first; target < last; ++target) {
          std::int64_t term = target ? ends.data[target - 1] : 0;
          const std::int64_t end = ends.data[target];
          Number sum = 0;
          if (term < end) sum = static_cast<Number>(weights.data[term]) * from[places.data[term]];
          for (++term; term < end; ++term)
            sum += static_cast<Number>(weights.data[term]) * from[places.data[term]];
          to[target] = sum;
        }
      });
}

}  // namespace

HALOCLINE_BIND(remapping) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Cells>(module, "Cells")
      .def(nb::init<Points, Corners, Flags>(), "points"_a, "corners"_a, "counts"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), free)
      .def(
          "bilinear",
          [](const Cells& cells, Points wanted, Flags wet) {
            return rows_by([&] { return bilinear(cells, wanted, wet); });
          },
          "wanted"_a, "wet"_a)
      .def(
          "patches",
          [](const Cells& cells, Points wanted, Flags wet, Around around, Corners members) {
            return rows_by([&] { return patches(cells, wanted, wet, around, members); });
          },
          "wanted"_a, "wet"_a, "around"_a, "members"_a)
      .def(
          "overlaps",
          [](const Cells& cells, Points points, Corners targets) {
            return rows_by([&] { return overlaps(cells, points, targets); });
          },
          "points"_a, "targets"_a)
      .def(
          "linear_overlaps",
          [](const Cells& cells, Points points, Corners targets, Points centroids, Around around) {
            return rows_by(
                [&] { return linear_overlaps(cells, points, targets, centroids, around); });
          },
          "points"_a, "targets"_a, "centroids"_a, "around"_a);
  module.def(
      "areas_and_centroids",
      [](Points points, Corners cells, View1<double> areas, View2<double> centroids) {
        for_each_in<std::ptrdiff_t>(0, cells.extent[0], 1, [&](std::ptrdiff_t cell) {
          const Polygon polygon = cell_polygon(points, cells.row(cell));
          const Vector middle = unit(moment(polygon));
          areas.data[cell] = area(polygon);
          double* to = centroids.row(cell);
          to[0] = middle.x, to[1] = middle.y, to[2] = middle.z;
        });
      },
      "points"_a, "cells"_a, "areas"_a, "centroids"_a, free);
  module.def(
      "nearest",
      [](Points points, View1<const std::int64_t> numbers, Points wanted,
         View1<std::int64_t> found) {
        std::vector<SpaceBox> boxes(points.extent[0]);
        std::vector<std::int64_t> some(numbers.data, numbers.data + numbers.extent[0]);
        for (const auto number : some) boxes[number].take(at(points.row(number)));
        const BoxTree tree(boxes, std::move(some));
        for_each_in<std::ptrdiff_t>(0, wanted.extent[0], 1, [&](std::ptrdiff_t target) {
          found.data[target] = tree.nearest(at(wanted.row(target)));
        });
      },
      "points"_a, "numbers"_a, "wanted"_a, "found"_a, free);
  module.def("weighted_sums", &weighted_sums<double>, "ends"_a, "places"_a, "weights"_a, "values"_a,
             "found"_a, free);
  module.def("weighted_sums", &weighted_sums<float>, "ends"_a, "places"_a, "weights"_a, "values"_a,
             "found"_a, free);
}

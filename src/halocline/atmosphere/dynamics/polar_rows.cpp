#include "atmosphere/dynamics/polar_rows.hpp"

#include "bind.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::class_<air::PolarRows>& rows) {
  rows.def("filter", &air::PolarRows::filter<T>, "values"_a);
  rows.def("filter_heat", &air::PolarRows::filter_heat<T>, "heat"_a, "theta"_a, "mass"_a, "c1"_a);
  rows.def("filter_water", &air::PolarRows::filter_water<T>, "water"_a, "old"_a, "mass"_a,
           "old_mass"_a, "base_mass"_a, "c1"_a, "c2"_a, "positive"_a);
}

/// Take what cells lack from others of their row, row by row.
void fill_lack(View2<double> rows) {
  air::RowLack lack;
  for (std::ptrdiff_t j = 0; j < rows.extent[0]; ++j) lack.fill(rows.row(j), rows.extent[1]);
}

}  // namespace

HALOCLINE_BIND(atmosphere_polar_rows) {
  nb::class_<air::PolarRows> rows(module, "PolarRows");
  rows.def(nb::init<int, View2<const double>>(), "columns"_a, "remaining"_a);
  bind<float>(rows);
  bind<double>(rows);
  module.def("fill_lack", &fill_lack, "rows"_a);
}

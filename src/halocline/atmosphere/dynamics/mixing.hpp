#pragma once
#include "atmosphere/dynamics/deformation.hpp"
#include "atmosphere/dynamics/mass_fluxes.hpp"
#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"

/// What mixing does to wind and to what lies in cells: the divergence of stress K D_mn and of
/// fluxes K grad q, through faces of layers that may slope (Skamarock et al. 2019, NCAR/TN-556,
/// section 4.2). Nothing passes ground and top but what is given; what leaves a cell enters the
/// next.
namespace halocline {

namespace air {

/// Air between cells: its mass per area and coordinate, its density, how it is mixed.
template <class T>
struct MixedAir {
  View3<const T> viscosity, full_volume;
  Columns<T> columns;
  Heights<T> heights;
  View1<const T> c1, c2;  ///< of layers, or of interfaces for what lies there

  template <class V>
  INLINE V coefficient(int k, int j, std::ptrdiff_t i) const {
    return load<V>(viscosity.row(k, j) + i);
  }
  template <class V>
  INLINE V mass(int k, int j, std::ptrdiff_t i) const {
    return layer_mass<V>(c1(k), c2(k), columns.template at<V>(j, i));
  }
  template <class V>
  INLINE V volume(int k, int j, std::ptrdiff_t i) const {
    return load<V>(full_volume.row(k, j) + i);
  }
};

/// The mean of f(0) and f(1), f(0, 0) to f(1, 1).
template <class V, class Of>
INLINE V mean_of_two(const Of& of) {
  return scalar_of<V>(0.5) * (of(0) + of(1));
}
template <class V, class Of>
INLINE V mean_of_four(const Of& of) {
  return scalar_of<V>(0.25) * ((of(0, 0) + of(1, 1)) + (of(0, 1) + of(1, 0)));
}

/// What stress brings to u (eastward) or v, between two cells.
template <class T, bool sloping, bool eastward>
struct WindStress {
  Deformation<T, sloping> rates;
  MixedAir<T> air;
  View2<const T> width, face_width, area;  ///< across the wind: in cells, at corners; around it
  View1<const T> thickness;

  static constexpr int aj = !eastward, ai = eastward;  ///< a cell back along the wind
  static constexpr int cj = eastward, ci = !eastward;  ///< a cell on across it

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const int levels = air.heights.layers();
    const auto ahead = [&](int n) {  // through the middle of the cell ahead and of that behind
      const int y = j - n * aj;
      const std::ptrdiff_t x = i - n * ai;
      return air.template mass<V>(k, y, x) * load<V>(width.row(y) + x) * stretched<V>(k, y, x);
    };
    const auto beside = [&](int n) {  // through corners
      const int y = j + n * cj;
      const std::ptrdiff_t x = i + n * ci;
      const V long_of =
          T(0.5) * (load<V>(face_width.row(y) + x) + load<V>(face_width.row(y - aj) + x - ai));
      const V mass =
          mean_of_four<V>([&](int dj, int di) { return air.template mass<V>(k, y - dj, x - di); });
      return mass * long_of * turned<V>(k, y, x);
    };
    const V along = (ahead(0) - ahead(1)) + (beside(1) - beside(0));
    const V below = k > 0 ? upward<V>(k, j, i) : V{};
    const V above = k + 1 < levels ? upward<V>(k + 1, j, i) : V{};
    return along / load<V>(area.row(j) + i) + (above - below) / thickness(k);
  }

 private:
  /// K D11, in cells, and K D12, at corners.
  template <class V>
  INLINE V stretched(int k, int j, std::ptrdiff_t i) const {
    return air.template coefficient<V>(k, j, i) * rates.template stretching<V, eastward>(k, j, i);
  }
  template <class V>
  INLINE V turned(int k, int j, std::ptrdiff_t i) const {
    return mean_of_four<V>(
               [&](int dj, int di) { return air.template coefficient<V>(k, j - dj, i - di); }) *
           rates.template turning<V>(k, j, i);
  }
  /// Through interface k, 0 < k < levels [Pa m s-2].
  template <class V>
  INLINE V upward(int k, int j, std::ptrdiff_t i) const {
    const auto four = [&](const auto& of) {
      return mean_of_four<V>([&](int n, int m) { return of(k - n, j - m * aj, i - m * ai); });
    };
    V stress =
        rates.upward *
        four([&](int k, int j, std::ptrdiff_t i) { return air.template coefficient<V>(k, j, i); }) *
        rates.template shear<V, eastward>(k, j, i);
    if constexpr (sloping) {
      const auto across = [&](int n) {
        return mean_of_two<V>([&](int m) {
          return rates.template slope_at_face<V, !eastward>(k, j - m * aj + n * cj,
                                                            i - m * ai + n * ci);
        });
      };
      stress -= rates.template slope_at_face<V, eastward>(k, j, i) *
                four([&](int k, int j, std::ptrdiff_t i) { return stretched<V>(k, j, i); });
      stress -= mean_of_two<V>(across) * mean_of_four<V>([&](int n, int m) {
                  return turned<V>(k - n, j + m * cj, i + m * ci);
                });
    }
    const V volume =
        four([&](int k, int j, std::ptrdiff_t i) { return air.template volume<V>(k, j, i); });
    return T(gravity) * stress / volume;
  }
};

/// What stress brings to w, at interfaces.
template <class T, bool sloping>
struct RiseStress {
  Deformation<T, sloping> rates;
  MixedAir<T> air;
  View2<const T> x_length, y_length, area;
  View1<const T> spacing;

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const int levels = air.heights.layers();
    const auto through = [&]<bool eastward>(std::bool_constant<eastward>, int n) {
      const int y = j + n * !eastward;
      const std::ptrdiff_t x = i + n * eastward;
      const V mass = mean_of_two<V>(
          [&](int m) { return air.template mass<V>(k, y - m * !eastward, x - m * eastward); });
      return mass * load<V>((eastward ? x_length : y_length).row(y) + x) *
             sheared<V, eastward>(k, y, x);
    };
    const V along = (through(std::true_type{}, 1) - through(std::true_type{}, 0)) +
                    (through(std::false_type{}, 1) - through(std::false_type{}, 0));
    const V above = k < levels ? upward<V>(k, j, i) : V{};
    return along / load<V>(area.row(j) + i) + (above - upward<V>(k - 1, j, i)) / spacing(k);
  }

 private:
  /// K D13 or K D23 at faces of interface k > 0.
  template <class V, bool eastward>
  INLINE V sheared(int k, int j, std::ptrdiff_t i) const {
    const int top = air.heights.layers();
    const V coefficient = mean_of_four<V>([&](int n, int m) {
      const int layer = n == 0 && k < top ? k : k - 1;
      return air.template coefficient<V>(layer, j - m * !eastward, i - m * eastward);
    });
    return coefficient * rates.template shear<V, eastward>(k, j, i);
  }
  /// Through layer k [Pa m s-2].
  template <class V>
  INLINE V upward(int k, int j, std::ptrdiff_t i) const {
    V stress =
        rates.upward * air.template coefficient<V>(k, j, i) * rates.template rising<V>(k, j, i);
    if constexpr (sloping) {
      const auto across = [&]<bool eastward>(std::bool_constant<eastward>) {
        return rates.template slope_in_cell<V, eastward>(k, j, i) *
               mean_of_four<V>([&](int n, int m) {
                 if (k + n == 0) return V{};
                 return sheared<V, eastward>(k + n, j + m * !eastward, i + m * eastward);
               });
      };
      stress -= across(std::true_type{}) + across(std::false_type{});
    }
    return T(gravity) * stress / air.template volume<V>(k, j, i);
  }
};

/// What fluxes bring to what lies in cells.
template <class T, bool sloping>
struct CellMixing {
  View3<const T> q;
  MixedAir<T> air;
  Lengths<T> lengths;
  View2<const T> x_length, y_length, area;
  View1<const T> thickness;
  T upward_share, factor, given;  ///< 1 or 0; of `viscosity`; what enters at the ground [q m s-1]

  template <class V>
  INLINE V gain(int k, int j, std::ptrdiff_t i) const {
    const int levels = air.heights.layers();
    const auto through = [&]<bool eastward>(std::bool_constant<eastward>, int n) {
      const int y = j + n * !eastward;
      const std::ptrdiff_t x = i + n * eastward;
      const V mass = mean_of_two<V>(
          [&](int m) { return air.template mass<V>(k, y - m * !eastward, x - m * eastward); });
      return mass * load<V>((eastward ? x_length : y_length).row(y) + x) *
             sideways<V, eastward>(k, y, x);
    };
    const V along = (through(std::true_type{}, 1) - through(std::true_type{}, 0)) +
                    (through(std::false_type{}, 1) - through(std::false_type{}, 0));
    const V ground = T(-gravity) * given / air.template volume<V>(0, j, i);
    const V below = k > 0 ? upward<V>(k, j, i) : ground;
    const V above = k + 1 < levels ? upward<V>(k + 1, j, i) : V{};
    return along / load<V>(area.row(j) + i) + (above - below) / thickness(k);
  }

 private:
  template <class V>
  INLINE V at(int k, int j, std::ptrdiff_t i) const {
    return load<V>(q.row(k, j) + i);
  }
  /// K dq/dx or K dq/dy at faces of layers.
  template <class V, bool eastward>
  INLINE V sideways(int k, int j, std::ptrdiff_t i) const {
    const int dj = !eastward, di = eastward;
    const auto both = [&](const auto& of) {
      return mean_of_two<V>([&](int m) { return of(j - m * dj, i - m * di); });
    };
    const V apart = load<V>((eastward ? lengths.x_distance : lengths.y_distance).row(j) + i);
    V rate = (at<V>(k, j, i) - at<V>(k, j - dj, i - di)) / apart;
    if constexpr (sloping) {
      const V risen = (air.heights.template middle<V>(k, j, i) -
                       air.heights.template middle<V>(k, j - dj, i - di)) /
                      (T(gravity) * apart);
      rate -= risen * upward_gradient<V>(
                          k, air.heights.layers(),
                          [&](int k) {
                            return both([&](int j, std::ptrdiff_t i) { return at<V>(k, j, i); });
                          },
                          [&](int k) {
                            return both([&](int j, std::ptrdiff_t i) {
                              return air.heights.template middle<V>(k, j, i);
                            });
                          });
    }
    return factor *
           both([&](int j, std::ptrdiff_t i) { return air.template coefficient<V>(k, j, i); }) *
           rate;
  }
  /// Through interface k, 0 < k < levels.
  template <class V>
  INLINE V upward(int k, int j, std::ptrdiff_t i) const {
    const auto two = [&](const auto& of) {
      return mean_of_two<V>([&](int n) { return of(k - n); });
    };
    const V coefficient = factor * two([&](int k) { return air.template coefficient<V>(k, j, i); });
    const V apart =
        air.heights.template middle<V>(k, j, i) - air.heights.template middle<V>(k - 1, j, i);
    V flux =
        upward_share * T(gravity) * coefficient * (at<V>(k, j, i) - at<V>(k - 1, j, i)) / apart;
    if constexpr (sloping) {
      const auto across = [&]<bool eastward>(std::bool_constant<eastward>) {
        const int dj = !eastward, di = eastward;
        const auto& between = eastward ? lengths.x_distance : lengths.y_distance;
        const V wide = load<V>(between.row(j) + i) + load<V>(between.row(j + dj) + i + di);
        const V slope = (air.heights.template face<V>(k, j + dj, i + di) -
                         air.heights.template face<V>(k, j - dj, i - di)) /
                        (T(gravity) * wide);
        return slope * mean_of_four<V>([&](int n, int m) {
                 return sideways<V, eastward>(k - n, j + m * dj, i + m * di);
               });
      };
      flux -= across(std::true_type{}) + across(std::false_type{});
    }
    const V volume = two([&](int k) { return air.template volume<V>(k, j, i); });
    return T(gravity) * flux / volume;
  }
};

/// `gain` of all entries from `first` on; 0 below.
template <class T, class Mixing>
void mix(Box box, const Mixing& mixing, int first, View3<T> forcing) {
  for_pairs(static_cast<int>(forcing.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    if (k < first) {
      std::fill(forcing.row(k, j) + box.i0, forcing.row(k, j) + box.i1, T(0));
      return;
    }
    over_row_again<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
      store<V>(forcing.row(k, j) + i, mixing.template gain<V>(k, j, i));
    });
  });
}

/// `body(sloping)`, true or false at compile time.
template <class Body>
void if_sloping(int sloping, const Body& body) {
  sloping != 0 ? body(std::true_type{}) : body(std::false_type{});
}

}  // namespace air

inline constexpr Contract<19> atmosphere_mix_u_contract{
    "atmosphere_mix_u",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", around, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", {-1, 0, 0, 1}, Column::whole},
      {"w", Access::read, Place::center, "m s-1", "depth+1", to_west, Column::whole},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth", {-1, 0, -1, 1}, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_west, Column::whole},
      {"geopotential",
       Access::read,
       Place::center,
       "m2 s-2",
       "depth+1",
       {-2, 1, -1, 1},
       Column::whole},
      {"base_geopotential",
       Access::read,
       Place::center,
       "m2 s-2",
       "depth+1",
       {-2, 1, -1, 1},
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", {-1, 0, -1, 1}},
      {"base_mass", Access::read, Place::center, "Pa", {-1, 0, -1, 1}},
      {"dx", Access::read, Place::center, "m", to_west},
      {"dy", Access::read, Place::center, "m", to_west},
      {"x_distance", Access::read, Place::x_face, "m", around},
      {"y_distance", Access::read, Place::y_face, "m", {-1, 0, 0, 1}},
      {"y_length", Access::read, Place::y_face, "m", {-1, 0, 0, 1}},
      {"x_area", Access::read, Place::x_face, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"u_forcing", Access::write, Place::x_face, "Pa m s-2", "depth"}}}};

/// What mixing does to the wind along x.
///
/// @param[in]  u, v, w      wind [m s-1]
/// @param[in]  viscosity, full_volume  of dry air [m2 s-1], [m3 kg-1]
/// @param[in]  geopotential, mass  less those of the base state
/// @param[in]  dx, dy, x_distance, y_distance, y_length, x_area  of the grid [m], [m2]
/// @param[out] u_forcing    [Pa m s-2]
/// @param[in]  upward       1; 0: along layers alone
/// @param[in]  sloping      not 0: layers slope
template <class T>
void atmosphere_mix_u(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                      View3<const T> viscosity, View3<const T> full_volume,
                      View3<const T> geopotential, View3<const T> base_geopotential,
                      View2<const T> mass, View2<const T> base_mass, View2<const T> dx,
                      View2<const T> dy, View2<const T> x_distance, View2<const T> y_distance,
                      View2<const T> y_length, View2<const T> x_area, View1<const T> c1,
                      View1<const T> c2, View1<const T> thickness, View3<T> u_forcing, int upward,
                      int sloping) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const air::MixedAir<T> air{viscosity, full_volume, {base_mass, mass}, heights, c1, c2};
  air::if_sloping(sloping, [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::WindStress<T, slopes, true> stress{
        {u, v, w, heights, {dx, dy, x_distance, y_distance}, T(upward)},
        air,
        dy,
        y_length,
        x_area,
        thickness};
    air::mix(box, stress, 0, u_forcing);
  });
}

inline constexpr Contract<19> atmosphere_mix_v_contract{
    "atmosphere_mix_v",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", {0, 1, -1, 0}, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", around, Column::whole},
      {"w", Access::read, Place::center, "m s-1", "depth+1", to_south, Column::whole},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth", {-1, 1, -1, 0}, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", to_south, Column::whole},
      {"geopotential",
       Access::read,
       Place::center,
       "m2 s-2",
       "depth+1",
       {-1, 1, -2, 1},
       Column::whole},
      {"base_geopotential",
       Access::read,
       Place::center,
       "m2 s-2",
       "depth+1",
       {-1, 1, -2, 1},
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", {-1, 1, -1, 0}},
      {"base_mass", Access::read, Place::center, "Pa", {-1, 1, -1, 0}},
      {"dx", Access::read, Place::center, "m", to_south},
      {"dy", Access::read, Place::center, "m", to_south},
      {"x_distance", Access::read, Place::x_face, "m", {0, 1, -1, 0}},
      {"y_distance", Access::read, Place::y_face, "m", around},
      {"x_length", Access::read, Place::x_face, "m", {0, 1, -1, 0}},
      {"y_area", Access::read, Place::y_face, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"v_forcing", Access::write, Place::y_face, "Pa m s-2", "depth"}}}};

/// What mixing does to the wind along y; arguments as in `atmosphere_mix_u`.
template <class T>
void atmosphere_mix_v(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                      View3<const T> viscosity, View3<const T> full_volume,
                      View3<const T> geopotential, View3<const T> base_geopotential,
                      View2<const T> mass, View2<const T> base_mass, View2<const T> dx,
                      View2<const T> dy, View2<const T> x_distance, View2<const T> y_distance,
                      View2<const T> x_length, View2<const T> y_area, View1<const T> c1,
                      View1<const T> c2, View1<const T> thickness, View3<T> v_forcing, int upward,
                      int sloping) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const air::MixedAir<T> air{viscosity, full_volume, {base_mass, mass}, heights, c1, c2};
  air::if_sloping(sloping, [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::WindStress<T, slopes, false> stress{
        {u, v, w, heights, {dx, dy, x_distance, y_distance}, T(upward)},
        air,
        dx,
        x_length,
        y_area,
        thickness};
    air::mix(box, stress, 0, v_forcing);
  });
}

inline constexpr Contract<18> atmosphere_mix_w_contract{
    "atmosphere_mix_w",
    {{{"u", Access::read, Place::x_face, "m s-1", "depth", to_east, Column::whole},
      {"v", Access::read, Place::y_face, "m s-1", "depth", to_north, Column::whole},
      {"w", Access::read, Place::center, "m s-1", "depth+1", around, Column::whole},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"x_distance", Access::read, Place::x_face, "m", to_east},
      {"y_distance", Access::read, Place::y_face, "m", to_north},
      {"x_length", Access::read, Place::x_face, "m", to_east},
      {"y_length", Access::read, Place::y_face, "m", to_north},
      {"area", Access::read, Place::center, "m2"},
      {"c1_face", Access::read, Place::none, "1", "depth+1"},
      {"c2_face", Access::read, Place::none, "Pa", "depth+1"},
      {"spacing", Access::read, Place::none, "1", "depth+1"},
      {"w_forcing", Access::write, Place::center, "Pa m s-2", "depth+1"}}}};

/// What mixing does to the upward wind; arguments as in `atmosphere_mix_u`.
template <class T>
void atmosphere_mix_w(Box box, View3<const T> u, View3<const T> v, View3<const T> w,
                      View3<const T> viscosity, View3<const T> full_volume,
                      View3<const T> geopotential, View3<const T> base_geopotential,
                      View2<const T> mass, View2<const T> base_mass, View2<const T> x_distance,
                      View2<const T> y_distance, View2<const T> x_length, View2<const T> y_length,
                      View2<const T> area, View1<const T> c1_face, View1<const T> c2_face,
                      View1<const T> spacing, View3<T> w_forcing, int upward, int sloping) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const air::MixedAir<T> air{viscosity, full_volume, {base_mass, mass}, heights, c1_face, c2_face};
  air::if_sloping(sloping, [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::RiseStress<T, slopes> stress{
        {u, v, w, heights, {{}, {}, x_distance, y_distance}, T(upward)},
        air,
        x_length,
        y_length,
        area,
        spacing};
    air::mix(box, stress, 1, w_forcing);
  });
}

inline constexpr Contract<16> atmosphere_mix_theta_contract{
    "atmosphere_mix_theta",
    {{{"theta", Access::read, Place::center, "K", "depth", around, Column::whole},
      {"viscosity", Access::read, Place::center, "m2 s-1", "depth", around, Column::whole},
      {"full_volume", Access::read, Place::center, "m3 kg-1", "depth", {}, Column::whole},
      {"geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around, Column::whole},
      {"base_geopotential", Access::read, Place::center, "m2 s-2", "depth+1", around,
       Column::whole},
      {"mass", Access::read, Place::center, "Pa", around},
      {"base_mass", Access::read, Place::center, "Pa", around},
      {"x_distance", Access::read, Place::x_face, "m", to_east},
      {"y_distance", Access::read, Place::y_face, "m", to_north},
      {"x_length", Access::read, Place::x_face, "m", to_east},
      {"y_length", Access::read, Place::y_face, "m", to_north},
      {"area", Access::read, Place::center, "m2"},
      {"c1", Access::read, Place::none, "1", "depth"},
      {"c2", Access::read, Place::none, "Pa", "depth"},
      {"thickness", Access::read, Place::none, "1", "depth"},
      {"theta_forcing", Access::write, Place::center, "Pa K s-1", "depth"}}}};

/// What mixing does to potential temperature.
///
/// @param[in]  theta        [K]
/// @param[in]  viscosity, full_volume  of dry air [m2 s-1], [m3 kg-1]
/// @param[in]  geopotential, mass  less those of the base state
/// @param[in]  x_distance, y_distance, x_length, y_length, area  of the grid [m], [m2]
/// @param[out] theta_forcing  [Pa K s-1]
/// @param[in]  factor       by which heat is mixed faster than `viscosity` says [1]
/// @param[in]  given        what enters at the ground [K m s-1]
/// @param[in]  upward       1; 0: along layers alone
/// @param[in]  sloping      not 0: layers slope
template <class T>
void atmosphere_mix_theta(Box box, View3<const T> theta, View3<const T> viscosity,
                          View3<const T> full_volume, View3<const T> geopotential,
                          View3<const T> base_geopotential, View2<const T> mass,
                          View2<const T> base_mass, View2<const T> x_distance,
                          View2<const T> y_distance, View2<const T> x_length,
                          View2<const T> y_length, View2<const T> area, View1<const T> c1,
                          View1<const T> c2, View1<const T> thickness, View3<T> theta_forcing,
                          double factor, double given, int upward, int sloping) {
  const air::Heights<T> heights{geopotential, base_geopotential};
  const air::MixedAir<T> air{viscosity, full_volume, {base_mass, mass}, heights, c1, c2};
  air::if_sloping(sloping, [&]<bool slopes>(std::bool_constant<slopes>) {
    const air::CellMixing<T, slopes> mixing{theta,
                                            air,
                                            {{}, {}, x_distance, y_distance},
                                            x_length,
                                            y_length,
                                            area,
                                            thickness,
                                            T(upward),
                                            static_cast<T>(factor),
                                            static_cast<T>(given)};
    air::mix(box, mixing, 0, theta_forcing);
  });
}

}  // namespace halocline

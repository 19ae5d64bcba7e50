#pragma once
#include <algorithm>

#include "contract.hpp"
#include "ocean/eddies.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What the flattening of surfaces of density carries, as a flow (Gent et al. 1995, J. Phys.
/// Oceanogr. 25, 463; Griffies 1998, the same 28, 831): for tracers that are moved by limited
/// schemes, which keep them positive, where skew fluxes do not.
///
/// At every face and interface stands the stream function
///
///   Psi = G sum w f s  [m3 s-1]
///
/// over the four triads of `eddies.hpp` whose two steps meet there: those of both cells beside the
/// face with the ones above them, below the interface, and with the ones below them, above it. A
/// level carries U(k) = Psi(k) - Psi(k + 1) more, of its lower and its upper interface. The skew
/// flux of the triads is
///
///   sum G w f s d_z c = - U c + (Psi(k + 1) c_(k + 1/2) - Psi(k) c_(k - 1/2)),
///
/// where both cells and all four triads are alike; what is in brackets, with its counterpart
/// through interfaces, brings nothing into a cell. Psi is 0 at the surface, and where one of the
/// faces above and below it is closed: a column carries nothing, and nothing passes land.
namespace halocline {

/// Faces of rows [j0, j1) of columns [i0, i1), western ones or southern ones.
template <class T, bool Whole, bool Western>
class EddyFlowTile : EddyTile<T, Whole> {
  using Base = EddyTile<T, Whole>;
  using Row = typename Base::Row;

 public:
  EddyFlowTile(const EddyFields<T>& fields, const EddyNumbers<T>& numbers,
               const ExpansionOfRow<T>& expansion, View3<T> flux, int rows, std::ptrdiff_t columns)
      : Base(fields, numbers, expansion, rows, columns), flux_(flux) {}

  void go(int j0, int j1, std::ptrdiff_t i0, std::ptrdiff_t i1) {
    this->begin(j0, j1, i0, i1);
    for (int j = j0; j < j1; ++j) std::fill_n(carry(j) + i0, i1 - i0, T(0));
    for (int k = 0; k < this->levels_; ++k)
      for (int j = j0 - !Western; j < j1; ++j) {
        this->slopes(k, j, i0 - Western, i1);
        if (j >= j0) add(k, j);
      }
  }

 private:
  /// What triads of the level below have of Psi at its upper interface.
  T* carry(int j) { return this->of_plane(1, j); }

  /// Add what Psi of the interface below level k makes of the fluxes of both levels.
  void add(int k, int j) {
    const std::ptrdiff_t back = Western ? 1 : 0;
    const int j_one = Western ? j : j - 1;
    const Row out = Western ? Base::east : Base::north, in = Western ? Base::west : Base::south;
    const T *out_one = this->of_cells(out, j_one) - back, *in_other = this->of_cells(in, j);
    const auto half = [&](Row which, std::ptrdiff_t i, auto lane) {
      using V = typename decltype(lane)::type;
      const T *one = this->of_cells(which, j_one) - back, *other = this->of_cells(which, j);
      return V(load<V>(out_one + i) * load<V>(one + i) +
               load<V>(in_other + i) * load<V>(other + i));
    };
    const T *floor_one = this->floor_of(j_one) - back, *floor = this->floor_of(j);
    const T* ratio = (Western ? this->f_.x_ratio : this->f_.y_ratio).row(j);
    T *carried = carry(j), *to = flux_.row(k, j), *lower = flux_.row(this->under(k), j);
    over_row<T>(this->i0_, this->i1_, [&]<class V>(Lane<V> lane, std::ptrdiff_t i) {
      const V level = splat<V>(static_cast<T>(k)), none{};
      const auto open = (load<V>(ratio + i) > none) & (load<V>(floor_one + i) < level) &
                        (load<V>(floor + i) < level);
      const V psi =
          open ? V(this->n_.both * (load<V>(carried + i) + half(Base::below, i, lane))) : none;
      store<V>(carried + i, half(Base::above, i, lane));
      if (k > 0) store<V>(lower + i, load<V>(lower + i) - psi);
      store<V>(to + i, load<V>(to + i) + psi);
    });
  }

  View3<T> flux_;
};

template <bool Western, class T>
void eddy_flow(Box box, const EddyFields<T>& fields, View3<T> flux, double flattening,
               double largest, double width, bool smooth, int tile, DensityNumbers numbers,
               View1<const T> depth) {
  const T strength = static_cast<T>(flattening);
  const EddyNumbers<T> some{
      T(0), -strength, strength, static_cast<T>(largest), static_cast<T>(width), smooth};
  const ExpansionOfRow<T> expansion = expansion_of_row<T>(fields.tracer, depth, numbers);
  const auto go = [&]<bool Whole>() {
    constexpr int strip = 32;
    using Tile = EddyFlowTile<T, Whole, Western>;
    for_each_in_with(
        box.j0, box.j1, strip, [&] { return Tile(fields, some, expansion, flux, strip, tile); },
        [&](int j0, Tile& faces) {
          for (std::ptrdiff_t i0 = box.i0; i0 < box.i1; i0 += tile)
            faces.go(j0, std::min(j0 + strip, box.j1), i0,
                     std::min<std::ptrdiff_t>(i0 + tile, box.i1));
        });
  };
  fields.bottom.share.data ? go.template operator()<false>() : go.template operator()<true>();
}

inline constexpr Reach west_of_x_face{-2, 1, -1, 1}, south_of_y_face{-1, 1, -2, 1};
inline constexpr Reach x_sides_of_x_face{-1, 1, 0, 0}, y_sides_of_x_face{-1, 0, 0, 1};
inline constexpr Reach x_sides_of_y_face{0, 1, -1, 0}, y_sides_of_y_face{0, 0, -1, 1};

inline constexpr Contract<11> ocean_eddy_x_flow_contract{
    "ocean_eddy_x_flow",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", west_of_x_face, Column::whole},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"floor_level", Access::read, Place::center, "1", west_of_x_face},
      if_wanted({"bottom_share", Access::read, Place::center, "1", west_of_x_face}),
      {"x_ratio", Access::read, Place::x_face, "1", x_sides_of_x_face},
      {"y_ratio", Access::read, Place::y_face, "1", y_sides_of_x_face},
      {"per_x_length", Access::read, Place::x_face, "m-1", x_sides_of_x_face},
      {"per_y_length", Access::read, Place::y_face, "m-1", y_sides_of_x_face},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"x_volume_flux", Access::update, Place::x_face, "m3 s-1", "depth", {}, Column::whole}}}};

/// Add to what passes western faces what the flattening of surfaces of density carries.
///
/// @param[in]     box                         faces to compute
/// @param[in]     tracer                      0 temperature, 1 salinity, (tracer, k, j, i)
/// @param[in]     depth                       of the centres of levels [m]
/// @param[in]     floor_level                 the lowest wet level; as many as levels on land
/// @param[in]     bottom_share                of its level that the cell there has [1]
/// @param[in]     x_ratio, y_ratio            width of a side over distance of centres, 0 where
/// closed
/// @param[in]     per_x_length, per_y_length  1 over the distance of centres [m-1]
/// @param[in]     thickness, spacing          of levels, and between their centres [m]
/// @param[in,out] x_volume_flux               [m3 s-1]
/// @param[in]     flattening  diffusivity of the flattening of surfaces of density [m2 s-1]
/// @param[in]     largest     slope beyond which it is less [1]
/// @param[in]     width       of slopes over which it vanishes, of the smooth taper [1]
/// @param[in]     smooth      whether the taper is that of a hyperbolic tangent
/// @param[in]     tile        most columns per tile [1]; any value gives the same bits
/// @param[in]     numbers     of the equation of state
template <class T>
void ocean_eddy_x_flow(Box box, View4<const T> tracer, View1<const T> depth,
                       View2<const T> floor_level, View2<const T> bottom_share,
                       View2<const T> x_ratio, View2<const T> y_ratio, View2<const T> per_x_length,
                       View2<const T> per_y_length, View1<const T> thickness,
                       View1<const T> spacing, View3<T> x_volume_flux, double flattening,
                       double largest, double width, bool smooth, int tile,
                       DensityNumbers numbers) {
  const EddyFields<T> fields{tracer,
                             {floor_level, bottom_share},
                             {},
                             x_ratio,
                             y_ratio,
                             per_x_length,
                             per_y_length,
                             thickness,
                             spacing,
                             {},
                             {}};
  eddy_flow<true>(box, fields, x_volume_flux, flattening, largest, width, smooth, tile, numbers,
                  depth);
}

inline constexpr Contract<11> ocean_eddy_y_flow_contract{
    "ocean_eddy_y_flow",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", south_of_y_face,
       Column::whole},
      {"depth", Access::read, Place::none, "m", "depth"},
      {"floor_level", Access::read, Place::center, "1", south_of_y_face},
      if_wanted({"bottom_share", Access::read, Place::center, "1", south_of_y_face}),
      {"x_ratio", Access::read, Place::x_face, "1", x_sides_of_y_face},
      {"y_ratio", Access::read, Place::y_face, "1", y_sides_of_y_face},
      {"per_x_length", Access::read, Place::x_face, "m-1", x_sides_of_y_face},
      {"per_y_length", Access::read, Place::y_face, "m-1", y_sides_of_y_face},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"spacing", Access::read, Place::none, "m", "depth"},
      {"y_volume_flux", Access::update, Place::y_face, "m3 s-1", "depth", {}, Column::whole}}}};

/// The same for southern faces.
template <class T>
void ocean_eddy_y_flow(Box box, View4<const T> tracer, View1<const T> depth,
                       View2<const T> floor_level, View2<const T> bottom_share,
                       View2<const T> x_ratio, View2<const T> y_ratio, View2<const T> per_x_length,
                       View2<const T> per_y_length, View1<const T> thickness,
                       View1<const T> spacing, View3<T> y_volume_flux, double flattening,
                       double largest, double width, bool smooth, int tile,
                       DensityNumbers numbers) {
  const EddyFields<T> fields{tracer,
                             {floor_level, bottom_share},
                             {},
                             x_ratio,
                             y_ratio,
                             per_x_length,
                             per_y_length,
                             thickness,
                             spacing,
                             {},
                             {}};
  eddy_flow<false>(box, fields, y_volume_flux, flattening, largest, width, smooth, tile, numbers,
                   depth);
}

}  // namespace halocline

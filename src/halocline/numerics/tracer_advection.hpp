#pragma once
#include <limits>

#include "contract.hpp"
#include "pack.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// Third-order flux-limited advection of tracers by given volume fluxes, one direction after the
/// other, together with the diffusion along that direction.
///
/// A sweep changes volume and content of a cell by the same fluxes, so that a constant tracer stays
/// constant whatever the divergence (Easter 1993,
/// doi:10.1175/1520-0493(1993)121<0297:TMVOBA>2.0.CO;2). Face values: third-order direct
/// space-time, QUICKEST (Leonard 1979, doi:10.1016/0045-7825(79)90034-3), third order where the
/// grid is uniform. Limiter: universal (Leonard 1991, doi:10.1016/0045-7825(91)90232-U), its
/// Courant number being all that leaves the donor cell in the sweep, so that no content becomes
/// negative where flow diverges or diffuses. Land has volume 0 and holds 0; a face whose upstream
/// cell is land takes the donor's value.
namespace halocline {

/// What the flux of any tracer through one face needs: volume that passes in the step, positive to
/// the higher index [m3], weights of the differences ahead and behind, bound of the limiter.
template <class T>
struct FaceWeights {
  T flux, ahead, behind, bound;
};

template <class T>
HD INLINE T reciprocal_or_zero(T volume) {
  return volume > T(0) ? T(1) / volume : T(0);
}

/// Keeps what is rounded from making a cell's content negative.
template <class T>
inline constexpr T nearly_one = T(1) - T(16) * std::numeric_limits<T>::epsilon();

/// Volume of a cell over all that leaves it in one sweep [1], less one.
///
/// @param volume    volume of the cell before the sweep [m3]
/// @param low       volume that passes its lower face, positive inward [m3]
/// @param high      volume that passes its upper face, positive outward [m3]
/// @param exchange  volumes exchanged by diffusion through both faces [m3]
template <class T>
HD INLINE T outflow_bound(T volume, T low, T high, T exchange) {
  const T leaving = maximum(high, T(0)) - minimum(low, T(0)) + exchange;
  const T least = maximum(volume * T(0x1p-10), T(0x1p-100));
  return maximum(volume * nearly_one<T> / maximum(leaving, least) - T(1), T(0));
}

/// Weights of one face between the cells `low` and `high`; `far` cells lie beyond them.
template <class T>
HD INLINE FaceWeights<T> face_weights(T flux, T far_low_volume, T far_high_volume, T low_reciprocal,
                                      T high_reciprocal, T low_bound, T high_bound) {
  const bool forward = flux > T(0);
  const T courant = absolute(flux) * (forward ? low_reciprocal : high_reciprocal);
  const T rest = (T(1) - courant) * T(1.0 / 6.0);
  const T bound = forward ? low_bound : high_bound;
  const T upstream_volume = forward ? far_low_volume : far_high_volume;
  return {flux, rest * (T(2) - courant), rest * (T(1) + courant),
          upstream_volume > T(0) ? bound : T(0)};
}

/// Tracer content that the flow carries through one face, positive to the higher index; V is a
/// number or a pack.
///
/// @param weights  of the face
/// @param far_low, low, high, far_high  tracer in the four cells around the face
template <bool Limited, class V>
HD INLINE V face_content(FaceWeights<V> weights, V far_low, V low, V high, V far_high) {
  const V zero{};
  const auto forward = weights.flux > zero;
  const V donor = forward ? low : high;
  const V ahead = high - low;
  const V behind = forward ? low - far_low : far_high - high;
  V correction = weights.ahead * ahead + weights.behind * behind;
  if constexpr (Limited) {
    const V steepest = weights.bound * behind;
    const V most = maximum(minimum(ahead, steepest), zero);
    const V least = minimum(maximum(ahead, steepest), zero);
    correction = minimum(maximum(correction, least), most);
  } else {
    correction = weights.bound > zero ? correction : zero;
  }
  return weights.flux * donor + absolute(weights.flux) * correction;
}

/// The same with what diffusion carries.
///
/// @param exchange  volume exchanged by diffusion through the face [m3]
template <bool Limited, class V>
HD INLINE V face_content(FaceWeights<V> weights, V exchange, V far_low, V low, V high, V far_high) {
  return face_content<Limited>(weights, far_low, low, high, far_high) - exchange * (high - low);
}

/// Volume exchanged by diffusion through a face in the step [m3]; none with land.
template <class T>
HD INLINE T exchanged_volume(T conductance, T thickness_dt, T low_volume, T high_volume) {
  return (low_volume > T(0) && high_volume > T(0)) ? conductance * thickness_dt : T(0);
}

/// Tracer after a sweep.
template <class V>
HD INLINE V swept(V volume, V tracer, V low_content, V high_content, V swept_reciprocal) {
  return (volume * tracer - (high_content - low_content)) * swept_reciprocal;
}

/// One cell of a plain sweep along any direction: `at(m)` gives the volume, `flux(m)` the volume
/// that passes the lower face and `exchange(m)` that exchanged through it, m cells further on.
template <class T, class Volume, class Flux, class Exchange>
struct Line {
  Volume at;
  Flux flux;
  Exchange exchange;

  HD T bound(int m) const {
    return outflow_bound(at(m), flux(m), flux(m + 1), exchange(m) + exchange(m + 1));
  }
  HD FaceWeights<T> weights(int m) const {
    return face_weights(flux(m), at(m - 2), at(m + 1), reciprocal_or_zero(at(m - 1)),
                        reciprocal_or_zero(at(m)), bound(m - 1), bound(m));
  }
  HD T volume() const { return at(0) - (flux(1) - flux(0)); }

  template <class Tracer>
  HD T content(int m, const Tracer& tracer, bool limited) const {
    const FaceWeights<T> face = weights(m);
    return limited ? face_content<true>(face, exchange(m), tracer(m - 2), tracer(m - 1), tracer(m),
                                        tracer(m + 1))
                   : face_content<false>(face, exchange(m), tracer(m - 2), tracer(m - 1), tracer(m),
                                         tracer(m + 1));
  }
  template <class Tracer>
  HD T tracer(const Tracer& tracer, bool limited) const {
    return swept(at(0), tracer(0), content(0, tracer, limited), content(1, tracer, limited),
                 reciprocal_or_zero(volume()));
  }
};
template <class T, class Volume, class Flux, class Exchange>
Line<T, Volume, Flux, Exchange> line(Volume at, Flux flux, Exchange exchange) {
  return {at, flux, exchange};
}

inline constexpr Contract<7> sweep_x_contract{
    "sweep_x",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {-2, 2, 0, 0}},
      {"volume", Access::read, Place::center, "m3", "depth", {-2, 2, 0, 0}},
      {"x_volume_flux", Access::read, Place::x_face, "m3 s-1", "depth", {-1, 2, 0, 0}},
      {"x_conductance", Access::read, Place::x_face, "m2 s-1", {-1, 2, 0, 0}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"swept_tracer", Access::write, Place::center, "any", "tracer depth"},
      {"swept_volume", Access::write, Place::center, "m3", "depth"}}}};

/// Advect and diffuse tracers along x (plain reference of `transport_tracers`).
///
/// @param[in]  box            cells to compute
/// @param[in]  tracer         per volume, any unit, shape (tracer, k, j, i); 0 on land
/// @param[in]  volume         of the cells [m3], shape (k, j, i); 0 on land
/// @param[in]  x_volume_flux  through the western faces, positive east [m3 s-1]; 0 on coasts
/// @param[in]  x_conductance  diffusivity * face width / distance of the centres [m2 s-1], (j, i)
/// @param[in]  thickness      of the levels [m], shape (k)
/// @param[out] swept_tracer, swept_volume  after the sweep
/// @param[in]  dt             step [s]
/// @param[in]  limited        whether the limiter is on
template <class T>
void sweep_x(Box box, View4<const T> tracer, View3<const T> volume, View3<const T> x_volume_flux,
             View2<const T> x_conductance, View1<const T> thickness, View4<T> swept_tracer,
             View3<T> swept_volume, double dt, bool limited) {
  const T step = static_cast<T>(dt);
  for_cells(box, volume.extent[0], [=](int k, int j, int i) {
    const T thickness_dt = thickness(k) * step;
    const auto cell =
        line<T>([=](int m) { return volume(k, j, i + m); },
                [=](int m) { return x_volume_flux(k, j, i + m) * step; },
                [=](int m) {
                  return exchanged_volume(x_conductance(j, i + m), thickness_dt,
                                          volume(k, j, i + m - 1), volume(k, j, i + m));
                });
    swept_volume(k, j, i) = cell.volume();
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t)
      swept_tracer(t, k, j, i) =
          cell.tracer([=](int m) { return tracer(t, k, j, i + m); }, limited);
  });
}

inline constexpr Contract<7> sweep_y_contract{
    "sweep_y",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {0, 0, -2, 2}},
      {"volume", Access::read, Place::center, "m3", "depth", {0, 0, -2, 2}},
      {"y_volume_flux", Access::read, Place::y_face, "m3 s-1", "depth", {0, 0, -1, 2}},
      {"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, -1, 2}},
      {"thickness", Access::read, Place::none, "m", "depth"},
      {"swept_tracer", Access::write, Place::center, "any", "tracer depth"},
      {"swept_volume", Access::write, Place::center, "m3", "depth"}}}};

/// Advect and diffuse tracers along y; arguments as of `sweep_x`.
template <class T>
void sweep_y(Box box, View4<const T> tracer, View3<const T> volume, View3<const T> y_volume_flux,
             View2<const T> y_conductance, View1<const T> thickness, View4<T> swept_tracer,
             View3<T> swept_volume, double dt, bool limited) {
  const T step = static_cast<T>(dt);
  for_cells(box, volume.extent[0], [=](int k, int j, int i) {
    const T thickness_dt = thickness(k) * step;
    const auto cell =
        line<T>([=](int m) { return volume(k, j + m, i); },
                [=](int m) { return y_volume_flux(k, j + m, i) * step; },
                [=](int m) {
                  return exchanged_volume(y_conductance(j + m, i), thickness_dt,
                                          volume(k, j + m - 1, i), volume(k, j + m, i));
                });
    swept_volume(k, j, i) = cell.volume();
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t)
      swept_tracer(t, k, j, i) =
          cell.tracer([=](int m) { return tracer(t, k, j + m, i); }, limited);
  });
}

inline constexpr Contract<5> sweep_z_contract{
    "sweep_z",
    {{{"tracer", Access::read, Place::center, "any", "tracer depth", {}, Column::whole},
      {"volume", Access::read, Place::center, "m3", "depth", {}, Column::whole},
      {"z_volume_flux", Access::read, Place::interface, "m3 s-1", "depth", {}, Column::whole},
      {"swept_tracer", Access::write, Place::center, "any", "tracer depth"},
      {"swept_volume", Access::write, Place::center, "m3", "depth"}}}};

/// Advect tracers along z; nothing passes the lowest interface and the surface.
///
/// @param[in] z_volume_flux  through the lower faces, positive up [m3 s-1], shape (k, j, i)
template <class T>
void sweep_z(Box box, View4<const T> tracer, View3<const T> volume, View3<const T> z_volume_flux,
             View4<T> swept_tracer, View3<T> swept_volume, double dt, bool limited) {
  const T step = static_cast<T>(dt);
  const int levels = static_cast<int>(volume.extent[0]);
  for_cells(box, levels, [=](int k, int j, int i) {
    const auto inside = [=](int m) { return k + m >= 0 && k + m < levels; };
    const auto cell = line<T>(
        [=](int m) { return inside(m) ? volume(k + m, j, i) : T(0); },
        [=](int m) { return inside(m) && k + m > 0 ? z_volume_flux(k + m, j, i) * step : T(0); },
        [](int) { return T(0); });
    swept_volume(k, j, i) = cell.volume();
    for (std::ptrdiff_t t = 0; t < tracer.extent[0]; ++t)
      swept_tracer(t, k, j, i) =
          cell.tracer([=](int m) { return inside(m) ? tracer(t, k + m, j, i) : T(0); }, limited);
  });
}

}  // namespace halocline

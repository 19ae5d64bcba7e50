#pragma once
#include <utility>

#include "numerics/tile_rows.hpp"

namespace halocline {

/// The sweep along x of a row of all tracers of a group.
template <class Rows>
class TileSweepX {
  using T = typename Rows::Value;
  using V = typename Rows::V;
  static constexpr int step = Rows::step, margin = Rows::margin;

 public:
  explicit TileSweepX(Rows& rows) : r_(rows) {}

  /// Weights of the faces i0 .. i1 of a row along x, from the volumes in `r_.row_volume`.
  void weights(int k, int row, T* new_volume, T* new_reciprocal) {
    const T* volume = r_.row_volume + margin;
    const T* flux = r_.fields.x_volume_flux.row(k, row) + r_.i0;
    const T* conductance = r_.fields.x_conductance.row(row) + r_.i0;
    const T thickness_dt = r_.fields.thickness(k) * r_.dt;
    T* exchanges = r_.exchange + margin;
    T* cell_bound = r_.cell_bound + margin;
    T* reciprocal = r_.reciprocal + margin;
    new_volume += margin;
    new_reciprocal += margin;
    const auto exchange = [=](int i) {
      return Rows::diffuse
                 ? exchanged_volume(conductance[i], thickness_dt, volume[i - 1], volume[i])
                 : T(0);
    };
    if constexpr (Rows::diffuse) {
#pragma omp simd
      for (int i = 0; i <= r_.width + 1; ++i) exchanges[i] = exchange(i);
    }
#pragma omp simd
    for (int i = 0; i <= r_.width; ++i) {
      cell_bound[i] = outflow_bound(volume[i], flux[i] * r_.dt, flux[i + 1] * r_.dt,
                                    Rows::diffuse ? exchanges[i] + exchanges[i + 1] : T(0));
      reciprocal[i] = reciprocal_or_zero(volume[i]);
    }
    const T west_bound =
        outflow_bound(volume[-1], flux[-1] * r_.dt, flux[0] * r_.dt, exchange(-1) + exchange(0));
    r_.keep(margin,
            face_weights(flux[0] * r_.dt, volume[-2], volume[1], reciprocal_or_zero(volume[-1]),
                         reciprocal[0], west_bound, cell_bound[0]));
#pragma omp simd
    for (int i = 1; i <= r_.width; ++i)
      r_.keep(margin + i,
              face_weights(flux[i] * r_.dt, volume[i - 2], volume[i + 1], reciprocal[i - 1],
                           reciprocal[i], cell_bound[i - 1], cell_bound[i]));
    const T* fluxes = r_.flux + margin;
#pragma omp simd
    for (int i = 0; i < r_.width; ++i) {
      new_volume[i] = volume[i] - (fluxes[i + 1] - fluxes[i]);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  /// Sweep a row of all tracers along x, with the weights at hand; a pack takes what passes its
  /// lowest face from the pack before. Before the sweep along y the packs at the ends of the row
  /// are in `r_.tracer_rows`.
  void sweep(int k, int row, const TracerRows<T>& rows, const T* reciprocal, T* out) {
    const int count = r_.count;
    const std::ptrdiff_t pitch = r_.pitch;
    const int* floor = r_.floors(row);
    T* across = r_.passed;
    const T* next = r_.next_level(r_.fields.tracer, k, row);
    const std::ptrdiff_t apart = r_.fields.tracer.stride[0];
    const TracerRows<T> ends{r_.tracer_rows, r_.row_pitch};
    if (margin == 0 && k >= floor[0])
      for (int t = 0; t < count; ++t) {
        const T* tracer = ends(t);
        across[t * step + step - 1] =
            Rows::passing(r_.template kept<T>(0), r_.template exchanged<T>(0), tracer[-2],
                          tracer[-1], tracer[0], tracer[1]);
      }
    bool connected = margin == 0;
    for (int p = 0; p < r_.packs; ++p) {
      const int c = p * step;
      if (k < floor[p]) {
        r_.clear(out, c);
        connected = false;
        continue;
      }
      const FaceWeights<V> face = r_.template kept<V>(c + 1);
      const V exchange = r_.template exchanged<V>(c + 1), volume = load<V>(r_.row_volume + c),
              inverse = load<V>(reciprocal + c);
      const TracerRows<T> here = margin == 0 && at_end(c) ? ends : rows;
      for (int t = 0; t < count; ++t) {
        const T* tracer = here(t) + c;
        if constexpr (Rows::x_first) Rows::ask(next + t * apart, c);
        const V before = load<V>(tracer);
        const V high = Rows::passing(face, exchange, load<V>(tracer - 1), before,
                                     load<V>(tracer + 1), load<V>(tracer + 2));
        const V last = connected ? load<V>(across + t * step) : V{};
        store<V>(across + t * step, high);
        store<V>(out + t * pitch + c, swept(volume, before, one_lower(last, high), high, inverse));
      }
      connected = true;
    }
  }

 private:
  /// Whether a pack of a row cannot be loaded, two cells on both sides included, from where the
  /// tracer lies.
  bool at_end(int c) const { return c == 0 || c + step > r_.width; }

  /// What passes the lower faces of a pack, from what passes the upper ones of the pack before and
  /// of its own.
  static V one_lower(V before, V own) {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(before, own, (step - 1 + lane)...);
    }(std::make_integer_sequence<int, step>{});
  }

  Rows& r_;
};

}  // namespace halocline

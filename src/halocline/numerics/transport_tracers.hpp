#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "contract.hpp"
#include "numerics/sinking.hpp"
#include "numerics/tracer_advection.hpp"
#include "numerics/vertical_diffusion.hpp"
#include "view.hpp"

namespace halocline {

/// What the fused sweep reads and writes.
template <class T>
struct TransportFields {
  View4<const T> tracer;
  View3<const T> volume, x_volume_flux, y_volume_flux, z_volume_flux, vertical_diffusivity;
  View2<const T> x_conductance, y_conductance, area;
  View1<const T> thickness, spacing, sinking_speed;
  View4<T> new_tracer;
};

/// A growing, aligned scratch of one thread, cut into rows.
template <class T>
class Scratch {
 public:
  void reserve(std::size_t values) {
    if (values > capacity_) {
      data_.reset(static_cast<T*>(::operator new(values * sizeof(T), alignment)));
      capacity_ = values;
    }
    std::fill_n(data_.get(), values, T(0));
    used_ = 0;
  }
  T* take(std::size_t values) {
    T* begin = data_.get() + used_;
    used_ += values;
    return begin;
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, alignment); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t capacity_ = 0, used_ = 0;
};

/// One sweep over the rows of a tile of columns [i0, i1) for a few tracers: x, y and z sweeps,
/// sinking and vertical diffusion, each tracer read and written once. Row r is swept along x, then
/// face r - 1 along y, then row r - 2 is finished: what waits in between fits the cache of a core.
template <class T, bool Limited, bool Diffuse>
class TransportTile {
 public:
  TransportTile(const TransportFields<T>& fields, int i0, int i1, int first, int count, double dt,
                Scratch<T>& scratch)
      : f_(fields),
        i0_(i0),
        width_(i1 - i0),
        levels_(static_cast<int>(fields.volume.extent[0])),
        first_(first),
        count_(count),
        pitch_((width_ + 2 * 16) / 16 * 16),
        plane_(static_cast<std::ptrdiff_t>(pitch_) * (levels_ + 3)),
        dt_(static_cast<T>(dt)) {
    scratch.reserve(static_cast<std::size_t>(11 * pitch_ + plane_ * (23 + 6 * count_)));
    for (T** row : {&flux_, &ahead_, &behind_, &bound_, &exchange_, &content_, &reciprocal_,
                    &cell_bound_, &cell_volume_})
      *row = scratch.take(pitch_);
    tracer_ = scratch.take(2 * pitch_);
    for (T** plane :
         {&y_volume_, &y_reciprocal_, &z_flux_, &z_ahead_, &z_behind_, &z_bound_, &z_cell_bound_,
          &z_reciprocal_, &pivot_, &above_, &below_, &interface_, &solved_})
      *plane = scratch.take(plane_);
    x_volume_ = scratch.take(slots * plane_);
    x_reciprocal_ = scratch.take(slots * plane_);
    y_cell_bound_ = scratch.take(2 * plane_);
    x_swept_ = scratch.take(count_ * slots * plane_);
    y_content_ = scratch.take(count_ * plane_);
    y_swept_ = scratch.take(count_ * plane_);
  }

  void sweep(int j0, int j1) {
    for (int row = j0 - 2; row < j1 + 2; ++row) {
      for (int k = 0; k < levels_; ++k) {
        x_row(k, row);
        if (row >= j0) y_row(k, row - 1);
        if (row > j0) y_face(k, row - 1, row - 1 > j0);
      }
      if (row - 2 >= j0) finish_row(row - 2);
    }
  }

 private:
  using V = pack<T, lanes<T>>;
  static constexpr int step = lanes<T>;
  static constexpr int slots = 4;  // rows that wait for the sweep along y, a power of two

  /// Row k of a plane; two rows below and one above hold zeros (land).
  T* at(T* plane, int k) const { return plane + static_cast<std::ptrdiff_t>(k + 2) * pitch_; }
  T* at(T* planes, int slot, int k) const { return at(planes + slot * plane_, k); }
  T* x_volume(int row, int k) const { return at(x_volume_, row & (slots - 1), k); }
  T* x_reciprocal(int row, int k) const { return at(x_reciprocal_, row & (slots - 1), k); }
  T* y_cell_bound(int row, int k) const { return at(y_cell_bound_, row & 1, k); }
  T* x_swept(int t, int row, int k) const {
    return at(x_swept_, slots * t + (row & (slots - 1)), k);
  }

  /// Ask for a row of the tile before its use: there are too many streams for the hardware to see.
  template <int Write>
  void prefetch(const T* row) const {
    constexpr int line = 64 / sizeof(T);
    for (int i = 0; i < width_; i += line) __builtin_prefetch(row + i, Write);
  }

  void keep(int i, FaceWeights<T> face) {
    flux_[i] = face.flux;
    ahead_[i] = face.ahead;
    behind_[i] = face.behind;
    bound_[i] = face.bound;
  }
  FaceWeights<V> kept(int i) const {
    return {load<V>(flux_ + i), load<V>(ahead_ + i), load<V>(behind_ + i), load<V>(bound_ + i)};
  }
  V exchanged(int i) const {
    if constexpr (Diffuse) return load<V>(exchange_ + i);
    return V{};
  }

  /// Sweep one row along x: faces i0 .. i1, donors i0 - 1 .. i1.
  void x_row(int k, int row) {
    x_weights(k, row);
    std::memcpy(cell_volume_, f_.volume.row(k, row) + i0_, width_ * sizeof(T));
    const T* reciprocal = x_reciprocal(row, k);
    T* tracer = tracer_ + 16;
    for (int t = 0; t < count_; ++t) {
      std::memcpy(tracer - 2, f_.tracer.row(first_ + t, k, row) + i0_ - 2,
                  (width_ + 4) * sizeof(T));
      if (k + 1 < levels_) prefetch<0>(f_.tracer.row(first_ + t, k + 1, row) + i0_);
      T* out = x_swept(t, row, k);
      for (int i = 0; i <= width_; i += step)
        store<V>(content_ + i, face_content<Limited>(kept(i), exchanged(i), load<V>(tracer + i - 2),
                                                     load<V>(tracer + i - 1), load<V>(tracer + i),
                                                     load<V>(tracer + i + 1)));
      for (int i = 0; i < width_; i += step)
        store<V>(out + i,
                 swept(load<V>(cell_volume_ + i), load<V>(tracer + i), load<V>(content_ + i),
                       load<V>(content_ + i + 1), load<V>(reciprocal + i)));
    }
  }

  void x_weights(int k, int row) {
    const T* volume = f_.volume.row(k, row) + i0_;
    const T* flux = f_.x_volume_flux.row(k, row) + i0_;
    const T* conductance = f_.x_conductance.row(row) + i0_;
    const T thickness_dt = f_.thickness(k) * dt_;
    const auto exchange = [=](int i) {
      return Diffuse ? exchanged_volume(conductance[i], thickness_dt, volume[i - 1], volume[i])
                     : T(0);
    };
    const auto cell_bound = [=, this](int i) {
      return outflow_bound(volume[i], flux[i] * dt_, flux[i + 1] * dt_,
                           exchange(i) + exchange(i + 1));
    };
#pragma omp simd
    for (int i = 0; i <= width_; ++i) {
      cell_bound_[i] = cell_bound(i);
      reciprocal_[i] = reciprocal_or_zero(volume[i]);
      if constexpr (Diffuse) exchange_[i] = exchange(i);
    }
    keep(0, face_weights(flux[0] * dt_, volume[-2], volume[1], reciprocal_or_zero(volume[-1]),
                         reciprocal_[0], cell_bound(-1), cell_bound_[0]));
#pragma omp simd
    for (int i = 1; i <= width_; ++i)
      keep(i, face_weights(flux[i] * dt_, volume[i - 2], volume[i + 1], reciprocal_[i - 1],
                           reciprocal_[i], cell_bound_[i - 1], cell_bound_[i]));
    T* new_volume = x_volume(row, k);
    T* new_reciprocal = x_reciprocal(row, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      new_volume[i] = volume[i] - (flux_[i + 1] - flux_[i]);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  /// What may leave the cells of one row along y.
  void y_row(int k, int row) {
    const T* south = x_volume(row - 1, k);
    const T* volume = x_volume(row, k);
    const T* north = x_volume(row + 1, k);
    const T* low = f_.y_volume_flux.row(k, row) + i0_;
    const T* high = f_.y_volume_flux.row(k, row + 1) + i0_;
    const T* low_conductance = f_.y_conductance.row(row) + i0_;
    const T* high_conductance = f_.y_conductance.row(row + 1) + i0_;
    const T thickness_dt = f_.thickness(k) * dt_;
    T* out = y_cell_bound(row, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      T exchange = 0;
      if constexpr (Diffuse)
        exchange = exchanged_volume(low_conductance[i], thickness_dt, south[i], volume[i]) +
                   exchanged_volume(high_conductance[i], thickness_dt, volume[i], north[i]);
      out[i] = outflow_bound(volume[i], low[i] * dt_, high[i] * dt_, exchange);
    }
  }

  /// Content through face `row` along y; then, if `complete`, the cells of row - 1, which lie
  /// between it and the face before.
  void y_face(int k, int row, bool complete) {
    y_weights(k, row);
    const T* volume = x_volume(row - 1, k);
    const T* reciprocal = at(y_reciprocal_, k);
    for (int t = 0; t < count_; ++t) {
      const T* far_low = x_swept(t, row - 2, k);
      const T* low = x_swept(t, row - 1, k);
      const T* high = x_swept(t, row, k);
      const T* far_high = x_swept(t, row + 1, k);
      T* content = at(y_content_, t, k);
      T* out = at(y_swept_, t, k);
      for (int i = 0; i < width_; i += step) {
        const V before = load<V>(low + i);
        const V passed = face_content<Limited>(kept(i), exchanged(i), load<V>(far_low + i), before,
                                               load<V>(high + i), load<V>(far_high + i));
        if (complete)
          store<V>(out + i, swept(load<V>(volume + i), before, load<V>(content + i), passed,
                                  load<V>(reciprocal + i)));
        store<V>(content + i, passed);
      }
    }
  }

  void y_weights(int k, int row) {
    const T* far_low = x_volume(row - 2, k);
    const T* low = x_volume(row - 1, k);
    const T* high = x_volume(row, k);
    const T* far_high = x_volume(row + 1, k);
    const T* low_reciprocal = x_reciprocal(row - 1, k);
    const T* high_reciprocal = x_reciprocal(row, k);
    const T* low_bound = y_cell_bound(row - 1, k);
    const T* high_bound = y_cell_bound(row, k);
    const T* flux = f_.y_volume_flux.row(k, row) + i0_;
    const T* low_flux = f_.y_volume_flux.row(k, row - 1) + i0_;
    const T* conductance = f_.y_conductance.row(row) + i0_;
    const T thickness_dt = f_.thickness(k) * dt_;
    T* new_volume = at(y_volume_, k);
    T* new_reciprocal = at(y_reciprocal_, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      keep(i, face_weights(flux[i] * dt_, far_low[i], far_high[i], low_reciprocal[i],
                           high_reciprocal[i], low_bound[i], high_bound[i]));
      if constexpr (Diffuse)
        exchange_[i] = exchanged_volume(conductance[i], thickness_dt, low[i], high[i]);
      new_volume[i] = low[i] - (flux[i] * dt_ - low_flux[i] * dt_);
      new_reciprocal[i] = reciprocal_or_zero(new_volume[i]);
    }
  }

  void finish_row(int row) {
    z_fluxes(row);
    for (int k = 0; k < levels_; ++k) z_weights(k);
    for (int k = levels_ - 1; k >= 0; --k) z_elimination(k, row);
    for (int t = 0; t < count_; ++t) {
      const T speed = f_.sinking_speed(first_ + t);
      if (speed > T(0))
        finish_columns<true>(row, t, speed);
      else
        finish_columns<false>(row, t, speed);
    }
  }

  void z_fluxes(int row) {
    const T* area = f_.area.row(row) + i0_;
    for (int k = 1; k < levels_; ++k) {
      const T* flux = f_.z_volume_flux.row(k, row) + i0_;
      const T* low = at(y_volume_, k - 1);
      const T* high = at(y_volume_, k);
      T* z_flux = at(z_flux_, k);
      T* interface = at(interface_, k);
#pragma omp simd
      for (int i = 0; i < width_; ++i) {
        z_flux[i] = flux[i] * dt_;
        interface[i] = open_interface(area[i], dt_, low[i], high[i]);
      }
    }
    for (int k = 0; k < levels_; ++k) {
      const T* volume = at(y_volume_, k);
      const T* low = at(z_flux_, k);
      const T* high = at(z_flux_, k + 1);
      T* bound = at(z_cell_bound_, k);
      T* reciprocal = at(z_reciprocal_, k);
#pragma omp simd
      for (int i = 0; i < width_; ++i) {
        bound[i] = outflow_bound(volume[i], low[i], high[i], T(0));
        reciprocal[i] = reciprocal_or_zero(volume[i] - (high[i] - low[i]));
      }
    }
  }

  void z_weights(int k) {
    const T* far_low = at(y_volume_, k - 2);
    const T* far_high = at(y_volume_, k + 1);
    const T* low_reciprocal = at(y_reciprocal_, k - 1);
    const T* high_reciprocal = at(y_reciprocal_, k);
    const T* low_bound = at(z_cell_bound_, k - 1);
    const T* high_bound = at(z_cell_bound_, k);
    const T* flux = at(z_flux_, k);
    T* ahead = at(z_ahead_, k);
    T* behind = at(z_behind_, k);
    T* bound = at(z_bound_, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      const FaceWeights<T> face = face_weights(flux[i], far_low[i], far_high[i], low_reciprocal[i],
                                               high_reciprocal[i], low_bound[i], high_bound[i]);
      ahead[i] = face.ahead;
      behind[i] = face.behind;
      bound[i] = face.bound;
    }
  }

  void z_elimination(int k, int row) {
    const T* diffusivity = f_.vertical_diffusivity.row(k, row) + i0_;
    const T* next_diffusivity =
        f_.vertical_diffusivity.row(std::min(k + 1, levels_ - 1), row) + i0_;
    const T inverse = k > 0 ? T(1) / f_.spacing(k) : T(0);
    const T next_inverse = k < levels_ - 1 ? T(1) / f_.spacing(k + 1) : T(0);
    const T* interface = at(interface_, k);
    const T* next_interface = at(interface_, k + 1);
    const T* reciprocal = at(z_reciprocal_, k);
    const T* next_below = at(below_, k + 1);
    T* pivot = at(pivot_, k);
    T* above = at(above_, k);
    T* below = at(below_, k);
#pragma omp simd
    for (int i = 0; i < width_; ++i) {
      const Elimination<T> level = eliminate(
          interface[i] * (diffusivity[i] * inverse),
          next_interface[i] * (next_diffusivity[i] * next_inverse), reciprocal[i], next_below[i]);
      pivot[i] = level.pivot;
      above[i] = level.above;
      below[i] = level.below;
    }
  }

  /// Sweep the columns of one row along z, let the tracer sink and diffuse, and store it.
  template <bool Sinks>
  void finish_columns(int row, int t, T speed) {
    T* content = content_;
    T* sunk_above = cell_bound_;
    std::fill_n(content, pitch_, T(0));
    std::fill_n(sunk_above, pitch_, T(0));
    for (int k = levels_ - 1; k >= 0; --k) {
      const T* far_low = at(y_swept_, t, k - 2);
      const T* low = at(y_swept_, t, k - 1);
      const T* tracer = at(y_swept_, t, k);
      const T* far_high = at(y_swept_, t, k + 1);
      const T* flux = at(z_flux_, k);
      const T* ahead = at(z_ahead_, k);
      const T* behind = at(z_behind_, k);
      const T* bound = at(z_bound_, k);
      const T* volume = at(y_volume_, k);
      const T* reciprocal = at(z_reciprocal_, k);
      const T* interface = at(interface_, k);
      const T* next_interface = at(interface_, k + 1);
      const T* pivot = at(pivot_, k);
      const T* above = at(above_, k);
      const T* last = at(solved_, k + 1);
      T* solved = at(solved_, k);
      prefetch<1>(f_.new_tracer.row(first_ + t, k, row) + i0_);
      for (int i = 0; i < width_; i += step) {
        const FaceWeights<V> face{load<V>(flux + i), load<V>(ahead + i), load<V>(behind + i),
                                  load<V>(bound + i)};
        const V before = load<V>(tracer + i), inverse = load<V>(reciprocal + i);
        const V passed = face_content<Limited>(face, V{}, load<V>(far_low + i), load<V>(low + i),
                                               before, load<V>(far_high + i));
        V value = swept(load<V>(volume + i), before, passed, load<V>(content + i), inverse);
        store<V>(content + i, passed);
        if constexpr (Sinks) {
          value = sunk(value, speed * (load<V>(next_interface + i) * inverse),
                       speed * (load<V>(interface + i) * inverse), load<V>(sunk_above + i));
          store<V>(sunk_above + i, value);
        }
        store<V>(solved + i, load<V>(pivot + i) * value + load<V>(above + i) * load<V>(last + i));
      }
    }
    const T* lower = at(solved_, -1);
    for (int k = 0; k < levels_; ++k) {
      const T* below = at(below_, k);
      const T* solved = at(solved_, k);
      T* out = f_.new_tracer.row(first_ + t, k, row) + i0_;
#pragma omp simd
      for (int i = 0; i < width_; ++i) out[i] = solved[i] + below[i] * lower[i];
      lower = out;
    }
  }

  const TransportFields<T>& f_;
  int i0_, width_, levels_, first_, count_, pitch_;
  std::ptrdiff_t plane_;
  T dt_;
  T *flux_, *ahead_, *behind_, *bound_, *exchange_, *content_, *reciprocal_, *cell_bound_,
      *cell_volume_, *tracer_;
  T *y_volume_, *y_reciprocal_, *z_flux_, *z_ahead_, *z_behind_, *z_bound_, *z_cell_bound_,
      *z_reciprocal_, *pivot_, *above_, *below_, *interface_, *solved_;
  T *x_volume_, *x_reciprocal_, *y_cell_bound_, *x_swept_, *y_content_, *y_swept_;
};

inline constexpr Contract<13> transport_tracers_contract{
    "transport_tracers",
    {{{"tracer", Access::read, Place::center, "1", {-2, 2, -2, 2}, Column::whole},
      {"volume", Access::read, Place::center, "m3", {-2, 2, -2, 2}, Column::whole},
      {"x_volume_flux", Access::read, Place::x_face, "m3 s-1", {-1, 2, -2, 2}, Column::whole},
      {"y_volume_flux", Access::read, Place::y_face, "m3 s-1", {0, 0, -1, 2}, Column::whole},
      {"z_volume_flux", Access::read, Place::interface, "m3 s-1", {}, Column::whole},
      {"x_conductance", Access::read, Place::x_face, "m2 s-1", {-1, 2, -2, 2}},
      {"y_conductance", Access::read, Place::y_face, "m2 s-1", {0, 0, -1, 2}},
      {"vertical_diffusivity", Access::read, Place::interface, "m2 s-1", {}, Column::whole},
      {"area", Access::read, Place::center, "m2"},
      {"thickness", Access::read, Place::none, "m"},
      {"spacing", Access::read, Place::none, "m"},
      {"sinking_speed", Access::read, Place::none, "m s-1"},
      {"new_tracer", Access::write, Place::center, "1", {}, Column::whole}}}};

/// Advect, sink and diffuse tracers: `sweep_x`, `sweep_y`, `sweep_z`, `sinking` and
/// `vertical_diffusion` in one pass over the rows, with the same bits.
///
/// @param[in]  box         cells to compute
/// @param[in]  diffusive   whether the horizontal conductances are used
/// @param[in]  width       columns per tile [1]; any value gives the same bits
/// @param[in]  group       tracers per pass [1]; any value gives the same bits
/// @param[out] new_tracer  after the step, shape (tracer, k, j, i); other arguments as of the parts
template <class T>
void transport_tracers(Box box, View4<const T> tracer, View3<const T> volume,
                       View3<const T> x_volume_flux, View3<const T> y_volume_flux,
                       View3<const T> z_volume_flux, View2<const T> x_conductance,
                       View2<const T> y_conductance, View3<const T> vertical_diffusivity,
                       View2<const T> area, View1<const T> thickness, View1<const T> spacing,
                       View1<const T> sinking_speed, View4<T> new_tracer, double dt, bool limited,
                       bool diffusive, int width, int group) {
  const TransportFields<T> fields{tracer,        volume,        x_volume_flux,
                                  y_volume_flux, z_volume_flux, vertical_diffusivity,
                                  x_conductance, y_conductance, area,
                                  thickness,     spacing,       sinking_speed,
                                  new_tracer};
  const int tracers = static_cast<int>(tracer.extent[0]);
  const int groups = (tracers + group - 1) / group;
  const int tiles = (box.i1 - box.i0 + width - 1) / width;
  const int longest = groups * tiles >= 32 ? box.j1 - box.j0 : 64;
  const int chunks = (box.j1 - box.j0 + longest - 1) / longest;
  const auto cut = [](int length, int parts, int part) {
    return static_cast<int>(static_cast<long long>(length) * part / parts);
  };
#pragma omp parallel for collapse(3) schedule(dynamic)
  for (int tile = 0; tile < tiles; ++tile)
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int set = 0; set < groups; ++set) {
        thread_local Scratch<T> scratch;
        const int i0 = box.i0 + tile * width, i1 = std::min(box.i1, i0 + width);
        const int j0 = box.j0 + cut(box.j1 - box.j0, chunks, chunk);
        const int j1 = box.j0 + cut(box.j1 - box.j0, chunks, chunk + 1);
        const int first = cut(tracers, groups, set);
        const int count = cut(tracers, groups, set + 1) - first;
        const auto sweep = [&]<bool Limited, bool Diffuse>() {
          TransportTile<T, Limited, Diffuse>(fields, i0, i1, first, count, dt, scratch)
              .sweep(j0, j1);
        };
        if (limited && diffusive) sweep.template operator()<true, true>();
        if (limited && !diffusive) sweep.template operator()<true, false>();
        if (!limited && diffusive) sweep.template operator()<false, true>();
        if (!limited && !diffusive) sweep.template operator()<false, false>();
      }
}

}  // namespace halocline

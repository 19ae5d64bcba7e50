#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "numerics/scratch.hpp"
#include "numerics/tile_surroundings.hpp"
#include "numerics/tracer_advection.hpp"
#include "pack.hpp"
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

/// Which sweep of a step is the first; in turn, the error of splitting is of second order.
enum class First { x, y };

/// What a tile keeps while its rows pass: rows of weights, planes of what its tracers share, and
/// for a group of tracers the rows that wait.
///
/// Columns c are counted from i0 - margin, in packs. All begins with zeros.
template <class T, First first_sweep, bool Limited, bool Diffuse>
class TileRows {
 public:
  using Value = T;
  using V = pack<T, lanes<T>>;
  static constexpr bool x_first = first_sweep == First::x, limited = Limited, diffuse = Diffuse;
  static constexpr int step = lanes<T>;
  static constexpr int margin = x_first ? 0 : 2;  // columns that x still needs

  TileRows(const TransportFields<T>& all, TileBox tile, int first_tracer, int tracers,
           double step_dt, Scratch<T>& scratch)
      : fields(all),
        i0(tile.i0),
        width(tile.i1 - tile.i0),
        levels(static_cast<int>(all.volume.extent[0])),
        first(first_tracer),
        count(tracers),
        packs((width + 2 * margin + step - 1) / step),
        pitch(packs * step),
        row_pitch(pitch + 2 * lead),
        group(static_cast<std::ptrdiff_t>(count) * pitch),
        dt(static_cast<T>(step_dt)) {
    const std::ptrdiff_t row = row_pitch, plane = (levels + 4) * pitch,
                         planes = (levels + 4) * group;
    scratch.reserve((9 + count) * row + (step + 3 * pitch) * count + 10 * ring * pitch +
                    (7 + 2 * slots) * plane + (2 + slots) * planes);
    for (T** some : {&flux, &ahead, &behind, &bound, &exchange, &reciprocal, &cell_bound,
                     &row_volume, &row_reciprocal})
      *some = scratch.take(row) + lead;
    tracer_rows = scratch.take(count * row) + lead;
    for (T** some : {&z_flux, &z_cell_bound, &z_conductance, &interface, &z_reciprocal, &pivot,
                     &above, &z_ahead, &z_behind, &z_bound})
      *some = scratch.take(ring * pitch);
    for (T** some : {&volume, &volume_reciprocal, &below}) *some = scratch.take(plane);
    waiting_volume_ = scratch.take(slots * plane);
    waiting_reciprocal_ = scratch.take(slots * plane);
    y_cell_bound_ = scratch.take(2 * plane);
    y_exchange_ = scratch.take(2 * plane);
    waiting_ = scratch.take(slots * planes);
    for (T** some : {&y_content, &solved}) *some = scratch.take(planes);
    for (T** some : {&z_content, &sunk, &lower}) *some = scratch.take(group);
    passed = scratch.take(count * step);
    floors_.assign(slots * packs, levels);
  }

  const TransportFields<T>& fields;
  const int i0, width, levels, first, count, packs;
  const std::ptrdiff_t pitch, row_pitch, group;
  const T dt;
  T *flux, *ahead, *behind, *bound, *exchange, *reciprocal, *cell_bound, *row_volume,
      *row_reciprocal, *tracer_rows, *passed;
  T *z_flux, *z_cell_bound, *z_conductance, *interface, *z_reciprocal, *pivot, *above, *z_ahead,
      *z_behind, *z_bound;
  T *volume, *volume_reciprocal, *below, *y_content, *solved, *z_content, *sunk, *lower;

  int y_width() const { return width + 2 * margin; }
  /// The lowest level with water in a row, and in each of its packs.
  int& lowest(int row) { return lowest_[row & (slots - 1)]; }
  int* floors(int row) { return floors_.data() + (row & (slots - 1)) * packs; }
  /// Row k of a plane; two rows below and two above hold zeros (land).
  T* at(T* plane, int k) const { return plane + static_cast<std::ptrdiff_t>(k + 2) * pitch; }
  T* at(T* planes, int slot, int k) const { return at(planes, slot * (levels + 4) + k); }
  T* group_at(T* planes, int k) const { return planes + (k + 2) * group; }
  T* in_ring(T* rows, int k) const { return rows + (k & (ring - 1)) * pitch; }
  T* waiting_volume(int row, int k) const { return at(waiting_volume_, row & (slots - 1), k); }
  T* waiting_reciprocal(int row, int k) const {
    return at(waiting_reciprocal_, row & (slots - 1), k);
  }
  T* y_cell_bound(int row, int k) const { return at(y_cell_bound_, row & 1, k); }
  T* y_exchange(int row, int k) const { return at(y_exchange_, row & 1, k); }
  /// Rows of all tracers of the group.
  T* waiting(int row, int k) const {
    return group_at(waiting_, (row & (slots - 1)) * (levels + 4) + k);
  }

  /// Ask for a row of the tile before its use: there are too many streams for the hardware to see.
  void prefetch(const T* row) const {
    constexpr int line = 64 / sizeof(T);
    for (int i = 0; i < width; i += line) __builtin_prefetch(row + i, 0, 2);
  }
  /// Ask for the lines of a pack of a row and of the two cells behind it; the line that it begins
  /// in is that of the pack before.
  static void ask(const T* row, int c) {
    if (c == 0) __builtin_prefetch(row, 0, 2);
    __builtin_prefetch(row + c + step + 1, 0, 2);
  }
  /// Column 0 at the next level of the group's first tracer. Of all tracers that level is asked for
  /// pack by pack, between what is computed, so that the memory is never idle.
  template <class U>
  U* next_level(const View4<U>& field, int k, int row) const {
    return field.row(first, std::min(k + 1, levels - 1), row) + i0 - margin;
  }

  void keep(int c, FaceWeights<T> face) {
    flux[c] = face.flux;
    ahead[c] = face.ahead;
    behind[c] = face.behind;
    bound[c] = face.bound;
  }
  template <class W>
  FaceWeights<W> kept(int c) const {
    return {load<W>(flux + c), load<W>(ahead + c), load<W>(behind + c), load<W>(bound + c)};
  }
  template <class W>
  static W passing(FaceWeights<W> face, W exchange, W far_low, W low, W high, W far_high) {
    if constexpr (Diffuse)
      return face_content<Limited>(face, exchange, far_low, low, high, far_high);
    return face_content<Limited>(face, far_low, low, high, far_high);
  }
  template <class W>
  W exchanged(int c) const {
    if constexpr (Diffuse) return load<W>(exchange + c);
    return W{};
  }
  void clear(T* rows, int c) const {
    for (int t = 0; t < count; ++t) store<V>(rows + t * pitch + c, V{});
  }

 private:
  static constexpr int lead = 16;  // values beside a row that are loaded and not used
  static constexpr int ring = 4;   // levels whose weights along z are kept, a power of two
  static constexpr int slots = 4;  // rows that wait for the sweep along y, a power of two

  T *waiting_volume_, *waiting_reciprocal_, *y_cell_bound_, *y_exchange_, *waiting_;
  std::vector<int> floors_;
  int lowest_[slots];
};

/// The same row of all tracers of a group: column i0 of the first, and the way to the next.
template <class T>
struct TracerRows {
  const T* first;
  std::ptrdiff_t apart;
  const T* operator()(int t) const { return first + t * apart; }
};

}  // namespace halocline

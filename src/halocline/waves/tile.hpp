#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "pack.hpp"
#include "view.hpp"

/// A tile: the spectra of as many sea points as the hardware has lanes,
/// [frequency][direction][lane], with all that source terms need to know of these points. Source
/// packages, quadruplets and the integration in time work on it one after the other while it stays
/// in cache.
///
/// A source package is a class with the members (see tolman_chalikov.hpp)
///   static constexpr int memory;              values kept per point from step to step, one or more
///   void start(Tile&) const;                  once per global step: stress
///   void input(Tile&) const;                  set `rate`, `linear_row`, `linear_direction`
///   void dissipation(Tile&) const;            add to `rate` or `row_rate`
///   V integrated_rows(const Tile&) const;     number of frequencies that are integrated
///   V tail_share(const Tile&, int f) const;   0 where prognostic, 1 where the f^-5 tail is imposed
///   void finish(Tile&) const;                 after a sub-step: stress
/// `input` sets mean_wavenumber, mean_frequency and variance. The first three may use `source` and
/// `diagonal` as working space. What a lane gets depends on that lane alone; `start` is called with
/// lanes that are in the middle of their step, of which only friction_velocity, roughness and
/// memory are restored afterwards.
namespace halocline::waves {

/// Frequencies and directions of the spectra; all arrays of one value per frequency or direction.
template <class T>
struct SpectralTables {
  int frequencies = 0, directions = 0;
  T factor{};                            ///< ratio of successive frequencies
  T direction_width{};                   ///< [rad]
  T first_sigma{};                       ///< [rad s-1]
  T log_factor{};                        ///< natural logarithm of `factor`
  const T* sigma = nullptr;              ///< [rad s-1]
  const T* band_width = nullptr;         ///< f (X - 1/X) / 2 [Hz]
  const T* output_band_width = nullptr;  ///< as band_width, first and last halved outside [Hz]
  const T* cosine = nullptr;             ///< of directions TO, anticlockwise from east
  const T* sine = nullptr;
};

template <class T, int Width>
struct Tile {
  using V = pack<T, Width>;
  static constexpr int rows = 8;          ///< rows of working space per frequency
  static constexpr int memory_limit = 8;  ///< most values that a package may keep per point

  const SpectralTables<T>* tables = nullptr;

  // one value per point
  V depth;                               ///< [m]
  V wind_speed, wind_cosine, wind_sine;  ///< [m s-1] and unit vector TO
  V open_water;                          ///< share that sources act on, less than 1 in ice
  V friction_velocity, roughness;        ///< [m s-1], [m], kept from step to step
  V memory[memory_limit];                ///< what the package keeps from step to step
  V variance;                            ///< with tail [m2]
  V mean_frequency;                      ///< [Hz]
  V mean_wavenumber;                     ///< [rad m-1]

  // one value per frequency and point
  V* wavenumber = nullptr;              ///< [rad m-1]
  V* group_velocity = nullptr;          ///< [m s-1]
  V* row_energy = nullptr;              ///< spectrum integrated over direction [m2 Hz-1]
  V* row_rate = nullptr;                ///< growth rate that all directions share [s-1]
  V* linear_row = nullptr;              ///< linear input is linear_row[f] linear_direction[d]
  V* row[rows] = {};                    ///< working space of the package
  V* largest_change = nullptr;          ///< of a limited step [m2 Hz-1 rad-1]
  V* largest_change_inverse = nullptr;  ///< its inverse

  // one value per direction and point
  V* linear_direction = nullptr;
  V* direction_row[rows] = {};  ///< working space

  // one value per component and point, component = f * directions + d
  V* spectrum = nullptr;  ///< variance density [m2 Hz-1 rad-1]
  V* initial = nullptr;   ///< what the integration keeps of the start of the global step
  V* rate = nullptr;      ///< of growth by input, dissipation; then derivative of `source` [s-1]
  V* source = nullptr;    ///< all sources together [m2 Hz-1 rad-1 s-1]
  V* diagonal = nullptr;  ///< working space; derivative where quadruplets are taken alone [s-1]

  int frequencies() const { return tables->frequencies; }
  int directions() const { return tables->directions; }
  int components() const { return frequencies() * directions(); }
};

/// The memory of one tile, owned by one thread and used for all its tiles.
template <class T, int Width>
class TileMemory {
 public:
  using V = pack<T, Width>;

  TileMemory(const SpectralTables<T>& tables, std::ptrdiff_t extra) {
    const std::ptrdiff_t nf = tables.frequencies, nd = tables.directions;
    const std::ptrdiff_t plane = nf * nd + gap;
    const std::ptrdiff_t total =
        5 * plane + (7 + Tile<T, Width>::rows) * nf + (1 + Tile<T, Width>::rows) * nd + extra;
    values_.reset(static_cast<V*>(std::aligned_alloc(64, bytes(total))));
    if (!values_) throw std::bad_alloc();
    V* next = values_.get();
    for (std::ptrdiff_t at = 0; at < total; ++at) next[at] = V{};
    const auto take = [&next](std::ptrdiff_t count) {
      V* taken = next;
      next += count;
      return taken;
    };
    tile.tables = &tables;
    for (V** at : {&tile.spectrum, &tile.initial, &tile.rate, &tile.source, &tile.diagonal})
      *at = take(plane);
    for (V** at : {&tile.wavenumber, &tile.group_velocity, &tile.row_energy, &tile.row_rate,
                   &tile.linear_row, &tile.largest_change, &tile.largest_change_inverse})
      *at = take(nf);
    for (V*& at : tile.row) at = take(nf);
    tile.linear_direction = take(nd);
    for (V*& at : tile.direction_row) at = take(nd);
    this->extra = take(extra);
  }

  Tile<T, Width> tile;
  V* extra = nullptr;

 private:
  /// Keeps the planes of a tile from sharing cache sets.
  static constexpr std::ptrdiff_t gap = 5;

  static std::size_t bytes(std::ptrdiff_t count) {
    return (static_cast<std::size_t>(count) * sizeof(V) + 63) / 64 * 64;
  }
  struct Free {
    void operator()(V* values) const { std::free(values); }
  };
  std::unique_ptr<V[], Free> values_;
};

}  // namespace halocline::waves

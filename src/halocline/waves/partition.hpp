#pragma once
#include <algorithm>
#include <vector>

#include "contract.hpp"
#include "elementary.hpp"
#include "parameters.hpp"
#include "schedules.hpp"
#include "view.hpp"
#include "watershed.hpp"

namespace halocline {

inline constexpr Contract<14> partition_spectra_contract{
    "partition_spectra",
    {{{"spectrum",
       Access::read,
       Place::point,
       "m2 Hz-1 rad-1",
       "frequency*direction",
       {},
       Column::whole},
      {"wavenumber", Access::read, Place::point, "rad m-1", "frequency", {}, Column::whole},
      {"wind_u", Access::read, Place::point, "m s-1"},
      {"wind_v", Access::read, Place::point, "m s-1"},
      {"weights", Access::read, Place::none, "1", "6 frequency"},
      {"frequency", Access::read, Place::none, "Hz", "frequency"},
      {"unit_vector", Access::read, Place::none, "1", "2 direction"},
      {"partition_height", Access::write, Place::point, "m", "part"},
      {"partition_peak_period", Access::write, Place::point, "s", "part"},
      {"partition_direction", Access::write, Place::point, "degree", "part"},
      {"partition_spread", Access::write, Place::point, "degree", "part"},
      {"partition_wind_fraction", Access::write, Place::point, "1", "part"},
      {"wind_sea_fraction", Access::write, Place::point},
      {"partitions", Access::write, Place::point}}}};

/// Numbers of the partitioning; see the options class of the same name in Python.
template <class T>
struct PartitionNumbers {
  T factor{}, missing{}, minimum_height{}, wind_factor{}, wind_sea_fraction{};
  int levels = 100;
};

namespace partition {

/// Sums over a part of a spectrum: energy, east, north, energy under the force of the wind.
template <class T>
using Part = pack<T, 4>;
inline constexpr int energy = 0, east = 1, north = 2, forced = 3;

template <class T>
struct Outputs {
  View2<T> height, peak_period, direction, spread, wind_fraction;
  View1<T> wind_sea_fraction, partitions;
};

/// Partitions one spectrum after the other; owned by one thread.
template <class T>
class Partitioner {
 public:
  Partitioner(const parameters::Tables<T>& tables, const PartitionNumbers<T>& numbers, int parts)
      : tables_(tables),
        numbers_(numbers),
        frequencies_(static_cast<int>(tables.frequency.extent[0])),
        directions_(static_cast<int>(tables.unit_vector.extent[1])),
        watershed_(frequencies_, directions_, numbers.levels),
        wind_(directions_),
        direction_(directions_),
        kept_(parts) {}

  /// Partition the spectrum `density` [component] of point `at`; `low` and `high` are its extremes.
  void operator()(const T* density, T low, T high, View2<const T> wavenumber, T wind_u, T wind_v,
                  std::ptrdiff_t at, const Outputs<T>& out) {
    const int hills = watershed_(density, low, high);
    integrate_hills(density, hills, wavenumber, wind_u, wind_v, at);
    sort_hills(hills);
    write(at, out);
  }

 private:
  /// Sum up every hill, by frequency and in all.
  void integrate_hills(const T* density, int hills, View2<const T> wavenumber, T wind_u, T wind_v,
                       std::ptrdiff_t at) {
    hills_.assign(hills + 1, Part<T>{});
    rows_.assign(std::size_t(hills + 1) * frequencies_, Part<T>{});
    if (hills == 0) return;
    for (int d = 0; d < directions_; ++d) {
      const T c = tables_.unit_vector(0, d), s = tables_.unit_vector(1, d);
      direction_[d] = Part<T>{T(1), c, s, T(0)};
      wind_[d] = numbers_.wind_factor * (wind_u * c + wind_v * s);
    }
    for (int f = 0; f < frequencies_; ++f) {
      const T speed = T(6.283185307179586477) * tables_.frequency(f) / wavenumber(f, at);
      for (int d = 0; d < directions_; ++d) direction_[d][forced] = wind_[d] > speed ? T(1) : T(0);
      const Watershed::State* label = watershed_.labels(f);
      const T* row_density = density + f * directions_;
      Part<T>* row = &rows_[std::size_t(f) * (hills + 1)];
      Part<T> run{};  // of neighbours of the same hill
      for (int d = 0; d < directions_; ++d) {
        run += row_density[d] * direction_[d];
        if (d + 1 < directions_ && label[d + 1] == label[d]) continue;
        row[label[d]] += run;
        run = Part<T>{};
      }
      const T weight = tables_.weights(parameters::zero, f);
      for (int hill = 1; hill <= hills; ++hill) hills_[hill] += weight * row[hill];
    }
  }

  /// Unite the hills of wind sea as part 0; number swells by falling height, ties by lowest label;
  /// leave low parts out.
  void sort_hills(int hills) {
    const T least = numbers_.minimum_height * numbers_.minimum_height / T(16);
    whole_ = Part<T>{};
    std::fill(kept_.begin(), kept_.end(), Part<T>{});
    part_of_.assign(hills + 1, -1);
    swells_.clear();
    Part<T> wind_sea{};
    for (int hill = 1; hill <= hills; ++hill) {
      const Part<T>& part = hills_[hill];
      whole_ += part;
      if (part[forced] > numbers_.wind_sea_fraction * part[energy]) {
        wind_sea += part;
        part_of_[hill] = 0;
      } else if (part[energy] >= least && part[energy] > T(0)) {
        swells_.push_back(hill);
      }
    }
    count_ = static_cast<int>(swells_.size());
    if (wind_sea[energy] >= least && wind_sea[energy] > T(0)) {
      kept_[0] = wind_sea;
      ++count_;
    } else {
      std::replace(part_of_.begin(), part_of_.end(), 0, -1);
    }
    std::sort(swells_.begin(), swells_.end(), [this](int a, int b) {
      const T first = hills_[a][energy], second = hills_[b][energy];
      return first > second || (first == second && a < b);
    });
    const int most = std::min(static_cast<int>(swells_.size()), static_cast<int>(kept_.size()) - 1);
    for (int swell = 0; swell < most; ++swell) {
      part_of_[swells_[swell]] = swell + 1;
      kept_[swell + 1] = hills_[swells_[swell]];
    }
  }

  T peak_period(int number) const {
    parameters::Peak<T> peak;
    const int hills = static_cast<int>(hills_.size()) - 1;
    for (int f = 0; f < frequencies_; ++f) {
      parameters::Harmonics<T> bin;
      for (int hill = 1; hill <= hills; ++hill)
        if (part_of_[hill] == number)
          bin.energy += rows_[std::size_t(f) * (hills + 1) + hill][energy];
      peak.add(bin, tables_.frequency(f), f == frequencies_ - 1);
    }
    return T(1) / peak.refined(numbers_.factor);
  }

  void write(std::ptrdiff_t at, const Outputs<T>& out) const {
    for (int number = 0; number < static_cast<int>(kept_.size()); ++number) {
      const Part<T>& part = kept_[number];
      const bool found = part[energy] > T(0);
      const T missing = numbers_.missing;
      out.height(number, at) = found ? T(4) * square_root(part[energy]) : T(0);
      out.peak_period(number, at) = found ? peak_period(number) : missing;
      out.direction(number, at) =
          found ? parameters::direction_from(part[east], part[north]) : missing;
      out.spread(number, at) =
          found ? parameters::spread(part[east] / part[energy], part[north] / part[energy])
                : missing;
      out.wind_fraction(number, at) = found ? part[forced] / part[energy] : missing;
    }
    out.wind_sea_fraction(at) = whole_[energy] > T(0) ? whole_[forced] / whole_[energy] : T(0);
    out.partitions(at) = static_cast<T>(count_);
  }

  parameters::Tables<T> tables_;
  PartitionNumbers<T> numbers_;
  int frequencies_, directions_, count_ = 0;
  Watershed watershed_;
  std::vector<T> wind_;
  std::vector<Part<T>> direction_, hills_, rows_, kept_;
  std::vector<int> part_of_, swells_;
  Part<T> whole_{};
};

}  // namespace partition

/// Part the spectra of the first `box.points` points into wind sea and swells.
///
/// The hills of a spectrum are found by watershed (Hanson and Phillips 2001; Vincent and Soille
/// 1991). Hills of whose energy more than `wind_sea_fraction` lies where
/// wind_factor U cos(theta - theta_wind) exceeds the phase speed are wind sea, part 0, together;
/// the others are swells by falling height. Parts lower than `minimum_height` and those beyond the
/// extent of the outputs are left out. Absent parts have height 0, the rest `missing`.
///
/// @param[in]  spectrum           variance density [m2 Hz-1 rad-1], shape (component, point)
/// @param[in]  wavenumber         [rad m-1], shape (frequency, point)
/// @param[in]  wind_u, wind_v     wind at 10 m [m s-1], shape (point,)
/// @param[in]  weights            as for mean_parameters, shape (6, frequency)
/// @param[in]  frequency          [Hz]
/// @param[in]  unit_vector        cosine and sine of the directions, shape (2, direction)
/// @param[out] partition_...      height, peak period, mean direction from, spread, and share under
///                                the force of the wind, each of shape (part, point)
/// @param[out] wind_sea_fraction  share of all energy under the force of the wind [1]
/// @param[out] partitions         number of parts found
template <class T>
inline void partition_spectra(Box box, View2<const T> spectrum, View2<const T> wavenumber,
                              View1<const T> wind_u, View1<const T> wind_v, View2<const T> weights,
                              View1<const T> frequency, View2<const T> unit_vector,
                              View2<T> partition_height, View2<T> partition_peak_period,
                              View2<T> partition_direction, View2<T> partition_spread,
                              View2<T> partition_wind_fraction, View1<T> wind_sea_fraction,
                              View1<T> partitions, T factor, T minimum_height, T wind_factor,
                              T least_wind_fraction, int levels, T missing) {
  constexpr int tile = lanes<T>;
  const std::ptrdiff_t components = frequency.extent[0] * unit_vector.extent[1];
  const parameters::Tables<T> tables{weights, unit_vector, frequency};
  const PartitionNumbers<T> numbers{
      factor, missing, minimum_height, wind_factor, least_wind_fraction, levels};
  const partition::Outputs<T> out{partition_height, partition_peak_period,   partition_direction,
                                  partition_spread, partition_wind_fraction, wind_sea_fraction,
                                  partitions};
  struct Own {
    partition::Partitioner<T> part;
    std::vector<T> spectra;
  };
  const auto make = [&] {
    const int parts = static_cast<int>(partition_height.extent[0]);
    return Own{partition::Partitioner<T>(tables, numbers, parts),
               std::vector<T>(components * tile)};
  };
  const auto divide = [&](std::ptrdiff_t first, Own& own) {
    const int count = static_cast<int>(std::min<std::ptrdiff_t>(tile, box.points - first));
    T low[tile], high[tile];
    for (int p = 0; p < count; ++p) low[p] = high[p] = spectrum(0, first + p);
    for (std::ptrdiff_t c = 0; c < components; ++c) {
      const T* row = spectrum.row(c) + first;
      for (int p = 0; p < count; ++p) {
        own.spectra[p * components + c] = row[p];
        low[p] = row[p] < low[p] ? row[p] : low[p];
        high[p] = row[p] > high[p] ? row[p] : high[p];
      }
    }
    for (int p = 0; p < count; ++p)
      own.part(&own.spectra[p * components], low[p], high[p], wavenumber, wind_u(first + p),
               wind_v(first + p), first + p, out);
  };
  for_each_in_with<std::ptrdiff_t>(0, box.points, tile, make, divide);
}

}  // namespace halocline

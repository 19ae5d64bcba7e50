#pragma once
#include <vector>

#include "atmosphere/radiation/gas_optics.hpp"

/// Columns as radiation sees them: layers of the model from the ground up, and layers above its
/// top.
namespace halocline::air {

/// Mixing ratio of vapour above the model's top [1], and pressure where the air ends [Pa].
inline constexpr double high_vapor = 3e-6, end_of_air = 1.0;

template <class T>
struct ColumnFields {
  View3<const T> air_pressure, dry_theta, exner;
  View4<const T> water;
  View3<const T> air_density, layer_depth;
  int cloud, ice;  ///< entries of `water`, -1: none
};

template <class T>
struct RadiativeResults {
  View3<T> theta_tendency, upward_flux, downward_flux;
  View2<T> flux_down, flux_out;
};

template <class T>
class RadiativeColumn {
 public:
  RadiativeColumn(const ColumnFields<T>& fields, const GasTables<T>& gases, int extra)
      : f_(fields),
        gases_(gases),
        levels_(static_cast<int>(fields.exner.extent[0])),
        extra_(extra),
        layers_(levels_ + extra),
        made_(layers_),
        faces_(layers_ + 1),
        liquid_(layers_),
        frozen_(layers_) {}

  int layers() const { return layers_; }
  const GasLayer<T>& layer(int k) const { return made_[k]; }
  T face_temperature(int k) const { return faces_[k]; }
  /// Mass of drops and of crystals in a layer [kg m-2].
  T liquid(int k) const { return liquid_[k]; }
  T frozen(int k) const { return frozen_[k]; }

  /// Layers and temperatures of the faces of a column.
  void take(int j, int i) {
    T vapor = 0, mass = 0;
    for (int k = 0; k < levels_; ++k) {
      const T temperature = (f_.dry_theta(k, j, i) + T(reference_temperature)) * f_.exner(k, j, i);
      vapor = f_.water(0, k, j, i);
      mass = f_.air_density(k, j, i) * f_.layer_depth(k, j, i);
      made_[k] = gas_layer(gases_, temperature, f_.air_pressure(k, j, i), mass, vapor);
      liquid_[k] = f_.cloud < 0 ? T(0) : mass * f_.water(f_.cloud, k, j, i);
      frozen_[k] = f_.ice < 0 ? T(0) : mass * f_.water(f_.ice, k, j, i);
    }
    for (int k = 1; k < levels_; ++k) {
      const T below = f_.layer_depth(k - 1, j, i), above = f_.layer_depth(k, j, i);
      faces_[k] =
          (made_[k - 1].temperature * above + made_[k].temperature * below) / (below + above);
    }
    faces_[0] = beyond(0, 1);
    faces_[levels_] = beyond(levels_ - 1, levels_ - 1);
    above(f_.air_pressure(levels_ - 1, j, i) - T(0.5 * gravity) * mass * (T(1) + vapor));
  }

  /// Heating of layers and fluxes at faces, from those in lanes of each term of a band.
  void give(const RadiativeResults<T>& to, const std::vector<T>& up, const std::vector<T>& down,
            int j, int i) const {
    const auto sum = [](const std::vector<T>& flux, int k) {
      T all = 0;
      for (int g = 0; g < most_terms; ++g) all += flux[k * most_terms + g];
      return all;
    };
    T last = 0;
    for (int k = 0; k <= levels_; ++k) {
      const T rising = sum(up, k), falling = sum(down, k), net = rising - falling;
      to.upward_flux(k, j, i) = rising;
      to.downward_flux(k, j, i) = falling;
      if (k > 0) {
        const T mass = f_.air_density(k - 1, j, i) * f_.layer_depth(k - 1, j, i);
        to.theta_tendency(k - 1, j, i) =
            (last - net) / (T(heat_capacity) * mass * f_.exner(k - 1, j, i));
      }
      if (k == 0) to.flux_down(j, i) = falling;
      last = net;
    }
    to.flux_out(j, i) = sum(up, layers_);
  }

 private:
  /// Temperature of an end of the column beside layer k, on a line through that and face `inner`.
  T beyond(int k, int inner) const {
    if (levels_ == 1) return made_[0].temperature;
    return T(2) * made_[k].temperature - faces_[inner];
  }

  /// Layers from the model's top [Pa] on, whose pressures fall by equal factors: from the top's
  /// temperature on it changes as that of the standard atmosphere.
  void above(T top) {
    if (extra_ == 0) return;
    const T thin = minimum(T(end_of_air) / maximum(top, T(1e-3)), T(0.5));
    const T factor = exp(T(log(thin) / static_cast<T>(extra_)));
    const T standard_top = standard(gases_, gases_.standard_temperature, top);
    const auto warmed = [&](T pressure) {
      const T there = standard(gases_, gases_.standard_temperature, pressure);
      return faces_[levels_] + (there - standard_top);
    };
    T below = top;
    for (int k = levels_; k < layers_; ++k) {
      const T ends = k + 1 < layers_ ? below * factor : T(0);
      const T mass = (below - ends) / T(gravity), middle = below * square_root(factor);
      made_[k] = gas_layer(gases_, warmed(middle), middle, mass, T(high_vapor));
      faces_[k + 1] = warmed(ends);
      liquid_[k] = frozen_[k] = T(0);
      below = ends;
    }
  }

  ColumnFields<T> f_;
  GasTables<T> gases_;
  int levels_, extra_, layers_;
  std::vector<GasLayer<T>> made_;
  std::vector<T> faces_, liquid_, frozen_;
};

}  // namespace halocline::air

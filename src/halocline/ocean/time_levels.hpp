#pragma once
#include <type_traits>

#include "contract.hpp"
#include "numerics/row_loops.hpp"
#include "schedules.hpp"
#include "view.hpp"

/// What is done to three neighbouring time levels against the splitting of leapfrog: means of
/// neighbours, or the filter of Robert and Asselin with Williams' share.
namespace halocline {

template <class V>
struct TimeLevels {
  V old, present, following;
};

/// Means half a step earlier: old and present become (old + present) / 2, (present + following)
/// / 2.
struct MeansOfLevels {
  template <class V>
  HD INLINE TimeLevels<V> operator()(TimeLevels<V> at) const {
    using T = scalar_of<V>;
    const V first = T(0.5) * (at.old + at.present), second = T(0.5) * (at.present + at.following);
    return {first, second, at.following};
  }
};

/// With d = strength / 2 (old - 2 present + following) the present level gets `share` of d, and the
/// following one loses the rest of it (Williams 2009, Mon. Wea. Rev. 137, 2538, equations 8 and 9;
/// share 1: Asselin 1972, Mon. Wea. Rev. 100, 487).
template <class T>
struct RobertFilter {
  T strength, share;

  template <class V>
  HD INLINE TimeLevels<V> operator()(TimeLevels<V> at) const {
    const V d = T(0.5) * strength * ((at.old + at.following) - (at.present + at.present));
    return {at.old, at.present + share * d, at.following + (share - T(1)) * d};
  }
};

/// A rule applied to one row of values of three levels; what is const is left alone.
template <class T, class Rule, class Old, class New>
INLINE void change_row(const Rule& rule, Box box, Old* old, T* present, New* following) {
  over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
    const TimeLevels<V> made =
        rule(TimeLevels<V>{load<V>(old + i), load<V>(present + i), load<V>(following + i)});
    if constexpr (!std::is_const_v<Old>) store<V>(old + i, made.old);
    store<V>(present + i, made.present);
    if constexpr (!std::is_const_v<New>) store<V>(following + i, made.following);
  });
}

/// The same of values times the thickness of their cells, so that what cells hold follows the rule.
template <class T, class Rule, class Old, class New>
INLINE void change_contents(const Rule& rule, Box box, Old* old, T* present, New* following,
                            const T* old_layer, const T* layer, const T* new_layer) {
  over_row<T>(box.i0, box.i1, [&]<class V>(Lane<V>, std::ptrdiff_t i) {
    const TimeLevels<V> thick{load<V>(old_layer + i), load<V>(layer + i), load<V>(new_layer + i)};
    const TimeLevels<V> made =
        rule(TimeLevels<V>{thick.old * load<V>(old + i), thick.present * load<V>(present + i),
                           thick.following * load<V>(following + i)});
    const TimeLevels<V> over = rule(thick);
    if constexpr (!std::is_const_v<Old>) store<V>(old + i, made.old / over.old);
    store<V>(present + i, made.present / over.present);
    if constexpr (!std::is_const_v<New>) store<V>(following + i, made.following / over.following);
  });
}

/// Three levels of a field.
template <class Old, class Present, class New>
struct LevelsOf {
  Old old;
  Present present;
  New following;
};

template <class T, class Rule, class Old, class Present, class New>
void change_levels(const Rule& rule, Box box, const LevelsOf<Old, Present, New>& f) {
  for_pairs(static_cast<int>(f.present.extent[0]), box.j0, box.j1, 1, [&](int k, int j) {
    change_row<T>(rule, box, f.old.row(k, j), f.present.row(k, j), f.following.row(k, j));
  });
}
template <class T, class Rule, class Old, class Present, class New>
void change_plane(const Rule& rule, Box box, const LevelsOf<Old, Present, New>& f) {
  for_rows(box, [&](int j) {
    change_row<T>(rule, box, f.old.row(j), f.present.row(j), f.following.row(j));
  });
}

/// Tracers, then the thickness that they have in the uppermost cells.
template <class T, class Rule, class Tracers, class Layers>
void change_tracers(const Rule& rule, Box box, const Tracers& tracer, const Layers& layer) {
  const int levels = static_cast<int>(tracer.present.extent[1]);
  for_rows(box, [&](int j) {
    for (std::ptrdiff_t t = 0; t < tracer.present.extent[0]; ++t)
      for (int k = 0; k < levels; ++k) {
        const auto old = tracer.old.row(t, k, j), following = tracer.following.row(t, k, j);
        T* present = tracer.present.row(t, k, j);
        if (k < levels - 1)
          change_row<T>(rule, box, old, present, following);
        else
          change_contents<T>(rule, box, old, present, following, layer.old.row(j),
                             layer.present.row(j), layer.following.row(j));
      }
  });
  change_plane<T>(rule, box, layer);
}

/// Velocities and their means over columns, as a rule with this access of the levels sees them.
constexpr Contract<12> velocity_levels(std::string_view name, Access old, Access following) {
  const Access both = Access::update;
  return {name,
          {{{"old_u", old, Place::corner, "m s-1", "depth"},
            {"u", both, Place::corner, "m s-1", "depth"},
            {"new_u", following, Place::corner, "m s-1", "depth"},
            {"old_v", old, Place::corner, "m s-1", "depth"},
            {"v", both, Place::corner, "m s-1", "depth"},
            {"new_v", following, Place::corner, "m s-1", "depth"},
            {"old_mean_u", old, Place::corner, "m s-1"},
            {"mean_u", both, Place::corner, "m s-1"},
            {"new_mean_u", following, Place::corner, "m s-1"},
            {"old_mean_v", old, Place::corner, "m s-1"},
            {"mean_v", both, Place::corner, "m s-1"},
            {"new_mean_v", following, Place::corner, "m s-1"}}}};
}
inline constexpr auto ocean_average_velocity_contract =
    velocity_levels("ocean_average_velocity", Access::update, Access::read);
inline constexpr auto ocean_filter_velocity_contract =
    velocity_levels("ocean_filter_velocity", Access::read, Access::update);

/// Tracers, the uppermost thickness, the pressure of the surface and the heat store likewise.
constexpr Contract<12> tracer_levels(std::string_view name, Access old, Access following) {
  const Access both = Access::update;
  return {name,
          {{{"old_tracer", old, Place::center, "any", "tracer depth"},
            {"tracer", both, Place::center, "any", "tracer depth"},
            {"new_tracer", following, Place::center, "any", "tracer depth"},
            {"old_layer", old, Place::center, "m"},
            {"layer", both, Place::center, "m"},
            {"new_layer", following, Place::center, "m"},
            {"old_surface", old, Place::center, "m2 s-2"},
            {"surface", both, Place::center, "m2 s-2"},
            {"new_surface", following, Place::center, "m2 s-2"},
            {"old_heat_store", old, Place::center, "K m"},
            {"heat_store", both, Place::center, "K m"},
            {"new_heat_store", following, Place::center, "K m"}}}};
}
inline constexpr auto ocean_average_tracers_contract =
    tracer_levels("ocean_average_tracers", Access::update, Access::read);
inline constexpr auto ocean_filter_tracers_contract =
    tracer_levels("ocean_filter_tracers", Access::read, Access::update);

template <class T>
void ocean_average_velocity(Box box, View3<T> old_u, View3<T> u, View3<const T> new_u,
                            View3<T> old_v, View3<T> v, View3<const T> new_v, View2<T> old_mean_u,
                            View2<T> mean_u, View2<const T> new_mean_u, View2<T> old_mean_v,
                            View2<T> mean_v, View2<const T> new_mean_v) {
  const MeansOfLevels rule;
  change_levels<T>(rule, box, LevelsOf{old_u, u, new_u});
  change_levels<T>(rule, box, LevelsOf{old_v, v, new_v});
  change_plane<T>(rule, box, LevelsOf{old_mean_u, mean_u, new_mean_u});
  change_plane<T>(rule, box, LevelsOf{old_mean_v, mean_v, new_mean_v});
}

template <class T>
void ocean_average_tracers(Box box, View4<T> old_tracer, View4<T> tracer, View4<const T> new_tracer,
                           View2<T> old_layer, View2<T> layer, View2<const T> new_layer,
                           View2<T> old_surface, View2<T> surface, View2<const T> new_surface,
                           View2<T> old_heat_store, View2<T> heat_store,
                           View2<const T> new_heat_store) {
  const MeansOfLevels rule;
  change_tracers<T>(rule, box, LevelsOf{old_tracer, tracer, new_tracer},
                    LevelsOf{old_layer, layer, new_layer});
  change_plane<T>(rule, box, LevelsOf{old_surface, surface, new_surface});
  change_plane<T>(rule, box, LevelsOf{old_heat_store, heat_store, new_heat_store});
}

/// @param[in] strength, share  of the filter [1]
template <class T>
void ocean_filter_velocity(Box box, View3<const T> old_u, View3<T> u, View3<T> new_u,
                           View3<const T> old_v, View3<T> v, View3<T> new_v,
                           View2<const T> old_mean_u, View2<T> mean_u, View2<T> new_mean_u,
                           View2<const T> old_mean_v, View2<T> mean_v, View2<T> new_mean_v,
                           double strength, double share) {
  const RobertFilter<T> rule{static_cast<T>(strength), static_cast<T>(share)};
  change_levels<T>(rule, box, LevelsOf{old_u, u, new_u});
  change_levels<T>(rule, box, LevelsOf{old_v, v, new_v});
  change_plane<T>(rule, box, LevelsOf{old_mean_u, mean_u, new_mean_u});
  change_plane<T>(rule, box, LevelsOf{old_mean_v, mean_v, new_mean_v});
}

/// @param[in] strength, share  of the filter [1]
template <class T>
void ocean_filter_tracers(Box box, View4<const T> old_tracer, View4<T> tracer, View4<T> new_tracer,
                          View2<const T> old_layer, View2<T> layer, View2<T> new_layer,
                          View2<const T> old_surface, View2<T> surface, View2<T> new_surface,
                          View2<const T> old_heat_store, View2<T> heat_store,
                          View2<T> new_heat_store, double strength, double share) {
  const RobertFilter<T> rule{static_cast<T>(strength), static_cast<T>(share)};
  change_tracers<T>(rule, box, LevelsOf{old_tracer, tracer, new_tracer},
                    LevelsOf{old_layer, layer, new_layer});
  change_plane<T>(rule, box, LevelsOf{old_surface, surface, new_surface});
  change_plane<T>(rule, box, LevelsOf{old_heat_store, heat_store, new_heat_store});
}

}  // namespace halocline

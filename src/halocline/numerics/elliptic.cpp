#include "numerics/elliptic.hpp"

#include "bind.hpp"
#include "numerics/block_preconditioner.hpp"
#include "numerics/chebyshev.hpp"
#include "numerics/chebyshev_sweep.hpp"
#include "numerics/chronopoulos_gear.hpp"
#include "numerics/conjugate_gradient.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, apply_nine_point_contract, &apply_nine_point<T>);
  define(module, nine_point_residual_contract, &nine_point_residual<T>);
  define(module, precondition_diagonal_contract, &precondition_diagonal<T>);
  define(module, two_products_contract, &two_products<T>);
  define(module, new_direction_contract, &new_direction<T>, "beta");
  define(module, direction_image_contract, &direction_image<T>);
  define(module, step_along_direction_contract, &step_along_direction<T>, "alpha");
  define(module, step_along_direction_diagonal_contract, &step_along_direction_diagonal<T>,
         "alpha");
  define(module, three_products_contract, &three_products<T>);
  define(module, chronopoulos_gear_step_contract, &chronopoulos_gear_step<T>, "alpha", "beta");
  define(module, chronopoulos_gear_step_diagonal_contract, &chronopoulos_gear_step_diagonal<T>,
         "alpha", "beta");
  define(module, pipelined_products_contract, &pipelined_products<T>);
  define(module, pipelined_step_contract, &pipelined_step<T>, "alpha", "beta");
  define(module, chebyshev_step_diagonal_contract, &chebyshev_step_diagonal<T>, "weight", "memory");
  define(module, chebyshev_start_contract, &chebyshev_start<T>, "weight");
  define(module, chebyshev_sweep_contract, &chebyshev_sweep<T>);
  define(module, chebyshev_update_contract, &chebyshev_update<T>, "weight", "memory");
}

template <class From, class To>
void bind_copy(nb::module_& module) {
  define(module, copy_values_contract, &copy_values<From, To>);
  define(module, copy_counted_contract, &copy_counted<From, To>);
}

template <class T, class P>
void bind_blocks(nb::module_& module) {
  define(module, precondition_blocks_contract, &precondition_blocks<T, P>);
}

}  // namespace

HALOCLINE_BIND(elliptic) {
  module.attr("sweep_steps") = sweep_steps;
  bind<float>(module);
  bind<double>(module);
  bind_copy<float, float>(module);
  bind_copy<float, double>(module);
  bind_copy<double, float>(module);
  bind_copy<double, double>(module);
  bind_blocks<float, float>(module);
  bind_blocks<double, float>(module);
  bind_blocks<double, double>(module);
}

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
void define(nb::module_& module) {
  module.def("apply_nine_point", &apply_nine_point<T>, "box"_a, "diagonal"_a, "west"_a, "south"_a,
             "corner"_a, "direction"_a, "image"_a);
  module.def("nine_point_residual", &nine_point_residual<T>, "box"_a, "diagonal"_a, "west"_a,
             "south"_a, "corner"_a, "right_side"_a, "solution"_a, "residual"_a, "parts"_a);
  module.def("precondition_diagonal", &precondition_diagonal<T>, "box"_a, "inverse_diagonal"_a,
             "residual"_a, "preconditioned"_a);
  module.def("two_products", &two_products<T>, "box"_a, "residual"_a, "preconditioned"_a,
             "parts"_a);
  module.def("new_direction", &new_direction<T>, "box"_a, "preconditioned"_a, "direction"_a,
             "beta"_a);
  module.def("direction_image", &direction_image<T>, "box"_a, "diagonal"_a, "west"_a, "south"_a,
             "corner"_a, "direction"_a, "image"_a, "parts"_a);
  module.def("step_along_direction", &step_along_direction<T>, "box"_a, "direction"_a, "image"_a,
             "solution"_a, "residual"_a, "alpha"_a);
  module.def("step_along_direction_diagonal", &step_along_direction_diagonal<T>, "box"_a,
             "inverse_diagonal"_a, "direction"_a, "image"_a, "solution"_a, "residual"_a,
             "preconditioned"_a, "parts"_a, "alpha"_a);
  module.def("three_products", &three_products<T>, "box"_a, "diagonal"_a, "west"_a, "south"_a,
             "corner"_a, "residual"_a, "preconditioned"_a, "preconditioned_image"_a, "parts"_a);
  module.def("chronopoulos_gear_step", &chronopoulos_gear_step<T>, "box"_a, "preconditioned"_a,
             "preconditioned_image"_a, "direction"_a, "image"_a, "solution"_a, "residual"_a,
             "alpha"_a, "beta"_a);
  module.def("chronopoulos_gear_step_diagonal", &chronopoulos_gear_step_diagonal<T>, "box"_a,
             "inverse_diagonal"_a, "preconditioned_image"_a, "preconditioned"_a, "direction"_a,
             "image"_a, "solution"_a, "residual"_a, "alpha"_a, "beta"_a);
  module.def("pipelined_products", &pipelined_products<T>, "box"_a, "residual"_a,
             "preconditioned"_a, "preconditioned_image"_a, "parts"_a);
  module.def("pipelined_step", &pipelined_step<T>, "box"_a, "turned"_a, "turned_image"_a,
             "image_of_turned"_a, "turned_direction"_a, "image"_a, "direction"_a, "solution"_a,
             "residual"_a, "preconditioned"_a, "preconditioned_image"_a, "parts"_a, "alpha"_a,
             "beta"_a);
  module.def("chebyshev_step_diagonal", &chebyshev_step_diagonal<T>, "box"_a, "diagonal"_a,
             "west"_a, "south"_a, "corner"_a, "inverse_diagonal"_a, "right_side"_a, "solution"_a,
             "correction"_a, "new_solution"_a, "weight"_a, "memory"_a);
  module.def("chebyshev_start", &chebyshev_start<T>, "box"_a, "inverse_diagonal"_a, "right_side"_a,
             "correction"_a, "new_solution"_a, "weight"_a);
  module.def("chebyshev_sweep", &chebyshev_sweep<T>, "box"_a, "diagonal"_a, "west"_a, "south"_a,
             "corner"_a, "inverse_diagonal"_a, "right_side"_a, "solution"_a, "correction"_a,
             "weights"_a, "new_solution"_a, "new_correction"_a);
  module.def("chebyshev_update", &chebyshev_update<T>, "box"_a, "preconditioned"_a, "correction"_a,
             "solution"_a, "weight"_a, "memory"_a);
}

template <class From, class To>
void define_copy(nb::module_& module) {
  module.def("copy_values", &copy_values<From, To>, "box"_a, "source"_a, "copy"_a);
}

template <class T, class P>
void define_blocks(nb::module_& module) {
  module.def("precondition_blocks", &precondition_blocks<T, P>, "box"_a, "residual"_a, "factors"_a,
             "tile_sea"_a, "tile_rows"_a, "tile_columns"_a, "preconditioned"_a);
}

}  // namespace

HALOCLINE_BIND(elliptic) {
  module.attr("sweep_steps") = sweep_steps;
  publish(module, apply_nine_point_contract);
  publish(module, nine_point_residual_contract);
  publish(module, precondition_diagonal_contract);
  publish(module, two_products_contract);
  publish(module, new_direction_contract);
  publish(module, direction_image_contract);
  publish(module, step_along_direction_contract);
  publish(module, step_along_direction_diagonal_contract);
  publish(module, three_products_contract);
  publish(module, chronopoulos_gear_step_contract);
  publish(module, chronopoulos_gear_step_diagonal_contract);
  publish(module, pipelined_products_contract);
  publish(module, pipelined_step_contract);
  publish(module, chebyshev_step_diagonal_contract);
  publish(module, copy_values_contract);
  publish(module, chebyshev_start_contract);
  publish(module, chebyshev_sweep_contract);
  publish(module, chebyshev_update_contract);
  publish(module, precondition_blocks_contract);
  define<float>(module);
  define<double>(module);
  define_copy<float, float>(module);
  define_copy<float, double>(module);
  define_copy<double, float>(module);
  define_copy<double, double>(module);
  define_blocks<float, float>(module);
  define_blocks<double, float>(module);
  define_blocks<double, double>(module);
}

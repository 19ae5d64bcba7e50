#include "bind.hpp"
#include "numerics/horizontal_diffusion.hpp"
#include "numerics/smolarkiewicz.hpp"

using namespace halocline;

namespace {

template <class T>
void bind(nb::module_& module) {
  define(module, advect_upstream_contract, &advect_upstream<T>, "dt");
  define(module, advect_corrected_contract, &advect_corrected<T>, "dt");
  define(module, diffuse_laplacian_contract, &diffuse_laplacian<T>, "dt");
  define(module, diffuse_biharmonic_contract, &diffuse_biharmonic<T>, "dt", "diffusivity");
}

}  // namespace

HALOCLINE_BIND(other_tracer_schemes) {
  bind<float>(module);
  bind<double>(module);
}

#include "atmosphere/microphysics/totals.hpp"

#include "bind.hpp"

using namespace halocline;

HALOCLINE_BIND(atmosphere_totals) {
  define(module, atmosphere_collect_contract, &atmosphere_collect<float>, "factor");
  define(module, atmosphere_collect_contract, &atmosphere_collect<double>, "factor");
}

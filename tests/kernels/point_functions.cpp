// Functions of points of `numerics`, evaluated by the compiler at points with known answers; made
// by test_schedules.py. What allocates for good, starts threads, or calls what only a host has, is
// none.
#include "numerics/dual.hpp"
#include "numerics/quickest.hpp"
#include "numerics/sinking.hpp"
#include "numerics/smolarkiewicz.hpp"
#include "numerics/tracer_advection.hpp"
#include "numerics/vertical_diffusion.hpp"

using namespace halocline;
using namespace halocline::numerics;

constexpr bool near(double a, double b) { return absolute(a - b) < 1e-12; }

static_assert(reciprocal_or_zero(4.0) == 0.25 && reciprocal_or_zero(0.0) == 0.0);
static_assert(exchanged_volume(2.0, 3.0, 1.0, 1.0) == 6.0);
static_assert(exchanged_volume(2.0, 3.0, 1.0, 0.0) == 0.0);
static_assert(near(outflow_bound(8.0, -1.0, 2.0, 1.0), 1.0));
static_assert(outflow_bound(1.0, 4.0, 4.0, 0.0) == 0.0);
static_assert(swept(2.0, 3.0, 1.0, 2.0, 0.5) == 2.5);

// A flux of half a cell: third order without limiter gives 1/2 (C + D)/2 less curvature and slope.
constexpr auto weights = face_weights(0.5, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0);
static_assert(weights.flux == 0.5 && near(weights.ahead, 0.125) && near(weights.behind, 0.125));
static_assert(near(face_content<false>(weights, 0.0, 1.0, 2.0, 3.0, 4.0), 0.5 * 2.25));
static_assert(near(face_content<true>(weights, 0.5, 1.0, 2.0, 3.0, 4.0), 0.5 * 2.25 - 0.5));
static_assert(face_content<true>(weights, 0.0, 2.0, 2.0, 3.0, 3.0) == 0.5 * 2.0);

// The same cell everywhere stays as it is.
constexpr auto one = [](int) { return 1.0; };
constexpr auto half = [](int) { return 0.5; };
constexpr auto none = [](int) { return 0.0; };
constexpr Line<double, decltype(one), decltype(half), decltype(none)> cell{one, half, none};
static_assert(cell.volume() == 1.0 && cell.tracer(one, true) == 1.0 &&
              cell.tracer(one, false) == 1.0);

static_assert(eliminate(1.0, 1.0, 0.5, 0.0).pivot == 0.5);
static_assert(eliminate(1.0, 1.0, 0.5, 0.0).above == 0.25);
static_assert(eliminate(2.0, 0.0, 0.5, 0.0).below == 0.5);
static_assert(sunk(1.0, 1.0, 1.0, 3.0) == 2.0);
static_assert(open_interface(2.0, 3.0, 1.0, 1.0) == 6.0 &&
              open_interface(2.0, 3.0, 0.0, 1.0) == 0.0);

// Along x from 1 to 3 through cells of 4 m3 by 1 m3: (1 - 1/4) (3 - 1) / (3 + 1); nothing along y.
constexpr auto four_m3 = [](int, int, int) { return 4.0; };
constexpr auto step_in_x = [](int, int, int i) { return i < 0 ? 1.0 : 3.0; };
constexpr auto eastward = [](int axis, int, int, int) { return axis == 0 ? 1.0 : 0.0; };
static_assert(donated(2.0, 3.0, 5.0) == 6.0 && donated(-2.0, 3.0, 5.0) == -10.0);
static_assert(near(antidiffusive_flux(0, 0, 0, 0, 1.0, four_m3, step_in_x, eastward), 0.375));
static_assert(antidiffusive_flux(1, 0, 0, 0, 1.0, four_m3, step_in_x, eastward) == 0.0);

static_assert(beyond_upwind<Advection::quickest>(0.0, 0.0, 0.0, 0.5) == 0.0);
static_assert(near(beyond_upwind<Advection::quickest>(0.5, 0.5, 1.0, 0.5), 0.125));
static_assert(beyond_upwind<Advection::ultimate_quickest>(-1.0, 1.0, -1.0, 0.5) == 0.0);
static_assert(outflow<Advection::upwind>(1.0, 2.0, 0.0) == 1.0);
static_assert(outflow<Advection::ultimate_quickest>(1.0, 0.5, 0.25) == 0.75);

// x^2 + 3 at x = 2 with its derivative 4; the root of 4 has the slope 1/4, that of 0 counts as 0.
constexpr Dual<double> two{2.0, 1.0, 0.0}, four{4.0, 1.0, 0.0}, zero{0.0, 1.0, 0.0};
static_assert(horner(2.0, 3.0, 0.0, 1.0) == 7.0);
static_assert(horner(two, 3.0, 0.0, 1.0).value == 7.0 &&
              horner(two, 3.0, 0.0, 1.0).by_first == 4.0);
static_assert(multiply_add(two, 3.0, 1.0).value == 7.0 &&
              multiply_add(two, 3.0, 1.0).by_first == 3.0);
static_assert(positive_root(4.0) == 2.0 && positive_root(-4.0) == 0.0);
static_assert(positive_root(four).by_first == 0.25 && positive_root(zero).by_first == 0.0);

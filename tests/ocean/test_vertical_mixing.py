"""Vertical mixing: published numbers, limits of the formulas, deepening layers. Ranks: 1."""

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.ocean.equation_of_state import DensityOptions
from halocline.runtime.ranks.communicator import Alone
from ocean.mixing_column import Column, alpha, four, kernels
from ocean.small_mixing import cooling, small_ocean, steps

pacanowski_philander = {
    "background_viscosity": 1e-4,
    "background_diffusivity": 1e-5,
    "strength": 5e-3,
    "steepness": 5.0,
    "convective": 0.1,
}


def by_richardson(number, floor=0, shape=(4, 5)):
    """Viscosity and diffusivity between two levels 10 m apart, sheared by 0.1 m/s."""
    stability = np.array([0.0, 0.0, number * (0.1 / 10.0) ** 2])
    outputs = {n: np.full((3, *shape), np.nan) for n in ("richardson", "vertical_diffusivity")}
    box = (0, shape[0] - 1, 0, shape[1] - 1, 0)
    kernels["ocean_richardson"].function(
        box=box,
        stability=four(stability, shape),
        old_u=four([0.0, 0.0, 0.06], shape),
        old_v=four([0.0, 0.0, 0.08], shape),
        floor_level=four(floor, shape),
        bottom_share=four(1.0, shape),
        thickness=np.full(3, 10.0),
        spacing=np.array([5.0, 10.0, 10.0]),
        **outputs,
        **pacanowski_philander,
    )
    viscosity = np.full((3, *shape), np.nan)
    kernels["ocean_richardson_viscosity"].function(
        box=(1, *box[1:2], 1, *box[3:]),
        richardson=outputs["richardson"],
        corner_floor=four(floor, shape),
        vertical_viscosity=viscosity,
        **{n: v for n, v in pacanowski_philander.items() if n != "background_diffusivity"},
    )
    return viscosity[:, 1, 1], outputs["vertical_diffusivity"][:, 1, 1]


@pytest.mark.parametrize(
    ("number", "viscosity", "diffusivity"),
    [  # cm2/s by equations 1 and 2 of Pacanowski and Philander (1981)
        (0.0, 51.0, 51.1),
        (0.2, 13.5, 6.85),
        (1.0, 50 / 36 + 1, (50 / 36 + 1) / 6 + 0.1),
        (1e8, 1.0, 0.1),
        (-0.01, 1000.0, 1000.0),
    ],
)
def test_richardson_mixing_is_the_published_one(number, viscosity, diffusivity):
    found = by_richardson(number)
    assert found[0][2] == pytest.approx(1e-4 * viscosity, rel=1e-6)
    assert found[1][2] == pytest.approx(1e-4 * diffusivity, rel=1e-6)
    assert found[0][0] == found[1][0] == 0.0  # the floor


def test_richardson_mixing_ends_at_the_floor():
    for values in by_richardson(0.2, floor=2):
        assert np.array_equal(values, np.zeros(3))


def test_corners_take_the_mean_of_their_centers():
    """Only the centre south-west of the corner has a Richardson number, of 0.8."""
    number = np.zeros((1, 3, 3))
    number[0, 0, 0] = 0.8
    viscosity = np.full((2, 3, 3), np.nan)
    kernels["ocean_richardson_viscosity"].function(
        box=(1, 3, 1, 3, 0),
        richardson=np.repeat(number, 2, 0),
        corner_floor=np.zeros((3, 3)),
        vertical_viscosity=viscosity,
        **{n: v for n, v in pacanowski_philander.items() if n != "background_diffusivity"},
    )
    assert viscosity[1, 1, 1] == pytest.approx(1e-4 + 5e-3 / (1 + 5 * 0.2) ** 2)
    assert viscosity[1, 2, 2] == pytest.approx(51e-4)


def test_corners_take_the_mean_viscosity_of_their_centers():
    """Of KPP; none at the floor of the corner."""
    random = np.random.default_rng(1)
    centers, floor = random.uniform(0.0, 1.0, (3, 5, 6)), np.zeros((5, 6))
    floor[2, 3] = 1.0
    viscosity = np.full((3, 5, 6), np.nan)
    kernels["ocean_corner_viscosity"].function(
        box=(1, 5, 1, 6, 0),
        center_viscosity=centers,
        corner_floor=floor,
        vertical_viscosity=viscosity,
    )
    south, north = centers[:, :-1], centers[:, 1:]
    wanted = 0.25 * (south[..., :-1] + south[..., 1:] + north[..., :-1] + north[..., 1:])
    wanted[0], wanted[1, 1, 2] = 0.0, 0.0
    np.testing.assert_allclose(viscosity[:, 1:, 1:], wanted, rtol=1e-14)


@pytest.mark.parametrize(("heat", "rain"), [(1e-5, 0.0), (-2e-5, 3e-7)])
def test_the_surface_takes_friction_and_buoyancy(heat, rain):
    """u* = sqrt(|stress|), averaged over corners; rain dilutes heat and salt."""
    names = ("friction_velocity", "buoyancy_flux", "light_flux")
    found = {n: np.zeros((2, 2)) for n in names}
    stress = np.array([[3e-4, 0.0], [0.0, 0.0]])
    kernels["ocean_surface_forcing"].function(
        box=(0, 1, 0, 1, 0),
        tracer=four([[9.0, 12.0], [33.0, 35.0]]),
        depth=np.array([15.0, 5.0]),
        stress_x=stress,
        stress_y=stress * 4.0 / 3.0,
        water_flux=four(rain),
        surface_flux=four([heat, 1e-6]),
        short_wave=four(200.0),
        per_capacity=2.5e-7,
        gravity=10.0,
        numbers=DensityOptions(reference=1000.0, expansion=0.2, contraction=0.8).numbers,
        **found,
    )
    assert found["friction_velocity"][0, 0] == pytest.approx(0.25 * np.sqrt(5e-4))
    into = 0.2 * (heat - 12.0 * rain) - 0.8 * (1e-6 - 35.0 * rain)
    assert found["buoyancy_flux"][0, 0] == pytest.approx(0.01 * into)
    assert found["light_flux"][0, 0] == pytest.approx(0.01 * 0.2 * 200.0 * 2.5e-7)


@pytest.mark.parametrize("equation", ["linear", "mcdougall-2003"])
def test_the_surface_is_compared_with_water_at_its_depth(equation):
    """In two levels a parabola from 0 to Ri is critical at the root of critical / Ri."""
    column = Column(2, 1500.0, water=DensityOptions(equation=equation))
    column.temperature[:], column.salinity[:], column.u[:] = [3.0, 5.0], [34.9, 34.7], [0.0, 1.5]
    density = np.zeros((2, 2, 2))
    kernels["ocean_density"].function(
        box=(0, 1, 0, 1, 0),
        tracer=four([column.temperature, column.salinity]),
        floor_level=np.full((2, 2), -1.0),
        bottom_share=np.ones((2, 2)),
        thickness=np.ones(2),
        depth=np.full(2, column.depth[0]),
        density=density,
        numbers=column.water.numbers,
    )
    lower, upper = density[:, 0, 0]
    number = 1500.0 * gravity / 1026.0 * (lower - upper) / 1.5**2
    assert number > 1.0
    depth = column.mixing(0.0, 0.0)[3]
    assert depth == pytest.approx(750.0 + 1500.0 * np.sqrt(0.3 / number), rel=1e-9)


quiet = {"background": 0.0, "shear_viscosity": 0.0}


def two_layers(numbers, jump=2.0):
    """Mixed to 55 m, colder below."""
    column = Column(50, 2.0, numbers=numbers)
    column.temperature[column.depth > 55.0] -= jump
    return column


def inside(column, depth):
    """Interfaces well inside the boundary layer, and how deep they are in it [1]."""
    sigma = (column.depth + 1.0) / depth
    return (sigma < 0.9) & (column.depth + 2.0 < depth), sigma


def test_a_neutral_layer_has_the_profile_of_law_of_the_wall():
    """h kappa u* s (1 - s)^2 where nothing mixes below (LMD, equation 10 with a2 = -2, a3 = 1)."""
    column = two_layers(quiet)
    viscosity, diffusivity, share, depth = column.mixing(0.01, 0.0)
    within, s = inside(column, depth)
    expected = depth * 0.4 * 0.01 * s * (1 - s) ** 2
    assert 50.0 < depth < 58.0
    assert within.sum() > 20
    assert viscosity[within] == pytest.approx(expected[within], rel=1e-6)
    assert diffusivity[within] == pytest.approx(expected[within], rel=1e-6)
    assert not share.any()
    assert not viscosity[column.depth > 60.0].any()


@pytest.mark.parametrize("speed", [0.4, 0.9])
def test_mixing_is_enhanced_next_to_the_end_of_the_layer(speed):
    """LMD, appendix D, where nothing mixes below: part ((1 - part)^2 K(middle) + part^2 K)."""
    column, thickness = two_layers(quiet, jump=3.0), 2.0
    column.u[column.depth < 30.0] = speed
    viscosity, _, _, depth = column.mixing(0.01, 0.0)
    at = np.argmax(column.depth < depth)

    def neutral(s):
        return depth * 0.4 * 0.01 * s * (1 - s) ** 2

    part, bottom = (depth - column.depth[at]) / thickness, column.depth[at] + thickness / 2
    own = neutral(bottom / depth) if bottom <= depth else 0.0
    expected = part * ((1 - part) ** 2 * neutral(column.depth[at] / depth) + part**2 * own)
    assert part == pytest.approx(0.385 if speed == 0.4 else 0.866, abs=0.03)
    assert viscosity[at] == pytest.approx(expected, rel=1e-6)


def test_a_cooled_layer_has_convective_scales_and_carries_a_share():
    """Without wind w = kappa (c kappa eps h B)^(1/3), share C* kappa (c_s kappa eps)^(1/3) G."""
    column, loss = two_layers(quiet), 5e-8
    viscosity, diffusivity, share, depth = column.mixing(0.0, -loss)
    within, s = inside(column, depth)
    within &= s > 0.1
    for values, c in ((viscosity, 8.38), (diffusivity, 98.96)):
        scale = 0.4 * np.cbrt(c * 0.4 * 0.1 * depth * loss)
        expected = depth * scale * s * (1 - s) ** 2
        assert values[within] == pytest.approx(expected[within], rel=1e-5)
    carried = 10.0 * 0.4 * np.cbrt(98.96 * 0.4 * 0.1) * s * (1 - s) ** 2
    assert share[within] == pytest.approx(carried[within], rel=1e-5)
    assert share.max() < 1.0


@pytest.mark.parametrize("speed", [0.4, 0.9])
def test_no_share_of_the_surface_flux_leaves_the_layer(speed):
    """Not through the interface next to its end either, where diffusivity is enhanced."""
    column = two_layers(quiet, jump=3.0)
    column.u[column.depth < 30.0] = speed
    _, diffusivity, share, depth = column.mixing(0.01, -5e-8)
    deeper, at = column.depth + 1.0 > depth, np.argmax(column.depth < depth)
    assert deeper[at] == (speed == 0.4)
    assert diffusivity[at] > 1e-6
    np.testing.assert_array_equal(share > 0.0, ~deeper)


def test_a_warmed_layer_mixes_less_and_carries_nothing():
    """w = kappa u* / (1 + 5 eps h kappa B / u*^3)."""
    column, gain, friction = two_layers(quiet), 2e-8, 0.01
    viscosity, diffusivity, share, depth = column.mixing(friction, gain)
    within, s = inside(column, depth)
    within &= s > 0.1
    scale = 0.4 * friction / (1 + 5 * 0.1 * depth * 0.4 * gain / friction**3)
    assert viscosity[within] == pytest.approx((depth * scale * s * (1 - s) ** 2)[within], rel=1e-6)
    assert np.array_equal(viscosity[within], diffusivity[within])
    assert not share.any()


def test_light_below_the_layer_does_not_steady_it():
    """The layer takes B + L (1 - R e^(-h/a) - (1 - R) e^(-h/b)) at its depth h (LMD, appendix A).

    So a layer that light enters is that of a surface which takes this buoyancy, and by day cooling
    goes on as long as light that stays in the layer is less than what the surface loses.
    """
    column, friction = two_layers(quiet), 0.01
    for loss, light in ((5e-8, 4e-8), (1e-8, 4e-8), (0.0, 6e-8)):
        *profiles, depth = column.mixing(friction, -loss, light=light)
        left = 0.67 * np.exp(-depth / 1.0) + 0.33 * np.exp(-depth / 17.0)
        *wanted, same = column.mixing(friction, -loss + light * (1.0 - left))
        assert 0.0 < left < 0.03
        assert same == pytest.approx(depth, rel=1e-3)
        for values, expected in zip(profiles, wanted, strict=True):
            assert values == pytest.approx(expected, rel=2e-3, abs=1e-9)
    clear = quiet | {"red": 0.0, "long_length": 20.0}
    shallow = Column(60, 1.0, 1e-6, clear)
    depth = shallow.mixing(0.005, 0.0, light=2e-7)[-1]
    taken = 2e-7 * (1.0 - np.exp(-depth / 20.0))
    assert taken < 0.5e-7
    assert depth == pytest.approx(shallow.mixing(0.005, taken)[-1], rel=0.005)
    assert depth > 1.3 * shallow.mixing(0.005, 2e-7)[-1]
    share = shallow.mixing(0.005, -6e-8, light=2e-7)[2]
    assert share.max() > 0.0  # the surface loses more than the layer keeps of the light
    assert not shallow.mixing(0.005, 1.4e-7)[2].any()


def test_the_layer_meets_what_mixes_below_it():
    """With a large interior mixing K goes over into it at the end of the layer, in value."""
    column = two_layers({"background": 5e-3, "prandtl": 1.0, "shear_viscosity": 0.0})
    _, diffusivity, _, depth = column.mixing(0.01, 0.0)
    within, s = inside(column, depth)
    value = 5e-3 / (depth * 0.4 * 0.01)
    shape = s * (1 + s * ((s - 2) + (3 - 2 * s) * value))
    assert diffusivity[within] == pytest.approx((depth * 0.4 * 0.01 * shape)[within], rel=1e-6)
    below = (column.depth > depth + 2.0) & (column.depth < 99.0)
    assert diffusivity[below] == pytest.approx(5e-3)


def test_the_depth_is_where_a_parabola_is_critical():
    """No turbulence: the bulk Richardson number is that of the shear, quadratic between levels."""
    column = Column(20, 5.0, 1e-4)
    column.u[-1] = 0.4
    depth = column.mixing(0.0, 1e-12)[-1]
    z, below = column.depth[::-1], gravity * alpha * (column.temperature[-1] - column.temperature)
    shear = (column.u[-1] - column.u[::-1]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        number = (z - z[0]) * below[::-1] / (shear + 1e-14)
    at = np.argmax(number > 0.3)
    before, here = (number[at - 1], number[at]) if at > 1 else (0.0, number[at])
    slope = (before - (number[at - 2] if at > 2 else 0.0)) / 5.0 if at > 1 else 0.0
    bend = (here - before - slope * 5.0) / 25.0
    roots = np.roots([bend, slope, before - 0.3])
    found = min(r.real for r in roots if abs(r.imag) < 1e-9 and 0 <= r.real <= 5.0)
    assert depth == pytest.approx(z[at - 1] + found, abs=1e-6)


def test_shear_adds_below_the_layer_what_its_richardson_number_gives():
    """nu0 (1 - (Ri / 0.8)^2)^3 (LMD, equation 28), Ri the same everywhere."""
    column = Column(40, 5.0, 1e-4, {"background": 0.0})
    for number, expected in ((0.4, 5e-3 * 0.75**3), (0.9, 0.0)):
        column.u = -np.sqrt(1e-4 / number) * column.depth
        viscosity, diffusivity, _, depth = column.mixing(0.0, 1e-12)
        below = (column.depth > depth + 10.0) & (column.depth < 190.0)
        assert below.sum() > 5
        assert viscosity[below] == pytest.approx(expected, abs=1e-12)
        assert np.array_equal(viscosity[below], diffusivity[below])


def test_the_richardson_number_of_a_thin_cell_knows_its_distance():
    """From the centre of a cell of half a level: 3/4 of a level, Ri by the square of it."""
    column = Column(40, 5.0, 1e-4, {"background": 0.0, "smoothing": 0})
    column.u = -np.sqrt(1e-4 / 0.4) * column.depth
    whole, thin = (column.mixing(0.0, 1e-12, share=share)[0] for share in (1.0, 0.5))
    assert thin[1] == pytest.approx(5e-3 * (1.0 - (0.4 * 0.75**2 / 0.8) ** 2) ** 3, rel=1e-9)
    assert np.array_equal(whole[2:], thin[2:])


def test_convection_below_the_layer_and_nothing_at_the_floor():
    column = Column(40, 5.0, 1e-4)
    column.temperature[5] += 1.0  # light water far down
    viscosity, diffusivity, _, _ = column.mixing(0.01, 0.0, floor=3)
    assert diffusivity[5] < 0.01 < diffusivity[6]
    overturning = column.frequency() < 0
    assert overturning.sum() == 1
    assert diffusivity[overturning] == pytest.approx(0.1 + 5e-3 + 1e-5, rel=0.1)
    assert not diffusivity[:4].any()
    assert not viscosity[:4].any()


def test_stable_forcing_ends_the_layer_at_ekmans_or_obukhovs_depth():
    free = two_layers(quiet)
    limited = two_layers({**quiet, "limited": True})
    for friction, gain in ((0.005, 1e-12), (0.005, 2e-8)):
        wanted = min(0.7 * friction / 1e-4, friction**3 / (0.4 * gain))
        assert free.mixing(friction, gain)[-1] > wanted
        depth = limited.mixing(friction, gain)[-1]
        assert depth == pytest.approx(wanted, rel=1e-3)
        assert not limited.mixing(friction, gain)[0][limited.depth + 1.0 > depth + 4.0].any()


def test_lanes_and_single_columns_are_the_same():
    column = Column(20, 5.0, 1e-4)
    column.u[-4:] = 0.4
    for buoyancy in (-1e-7, 1e-8):
        one = column.mixing(0.008, buoyancy)
        many = column.mixing(0.008, buoyancy, shape=(2, 25))
        for first, second in zip(one, many, strict=True):
            assert np.array_equal(first, second)


def test_wind_deepens_a_stratified_layer_as_kato_and_phillips():
    """D = 1.05 u* sqrt(t / N0) (Price 1979, J. Fluid Mech. 90, after Kato and Phillips 1969)."""
    column, friction, frequency, dt = Column(50, 1.0, 1e-4), 0.01, 0.01, 600.0
    for number in range(1, 145):
        depth = column.step(friction, 0.0, dt)
        if number % 36 == 0:
            law = 1.05 * friction * np.sqrt(number * dt / frequency)
            assert depth == pytest.approx(law, rel=0.08), number
    assert np.sum(column.u) * 1.0 == pytest.approx(friction**2 * 144 * dt)


def test_cooling_deepens_a_layer_by_encroachment_and_entrainment():
    """h = sqrt(2 B t (1 + 2 a)) / N; a = 0 encroaches, LMD's a is 0.2 (their section on C_v)."""
    column, heat, dt = Column(40, 2.0, 1e-5), -2.5e-5, 900.0
    start = column.temperature.copy()
    for number in range(1, 193):
        column.step(0.0, heat, dt)
        if number % 96 == 0:
            depth = column.depth[np.argmax(column.frequency())] + 1.0
            alone = np.sqrt(-2 * gravity * alpha * heat * number * dt / 1e-5)
            assert 0.12 < ((depth / alone) ** 2 - 1) / 2 < 0.22, number
    given = np.sum(column.temperature - start) * 2.0
    assert given == pytest.approx(heat * 192 * dt, rel=1e-10)


@pytest.mark.parametrize("scheme", ["richardson", "kpp"])
def test_constants_stay_whatever_mixes(scheme):
    ocean = small_ocean(scheme, Alone(), uniform=True)
    steps(ocean, 6)
    wet = np.broadcast_to(ocean.levels.wet, ocean.state.tracer.shape[1:])
    for values, number in zip(ocean.state.tracer.gather(), (12.0, 35.0), strict=True):
        assert np.abs(values[wet] - number).max() < 1e-13 * number
    assert np.abs(ocean.state.u.gather()).max() > 1e-3


@pytest.mark.parametrize("scheme", ["richardson", "kpp"])
def test_what_columns_hold_is_what_the_surface_gave(scheme):
    ocean = small_ocean(scheme, Alone())

    def content():
        s, thickness = ocean.state, np.full(ocean.levels.shape, 10.0)
        thickness[-1] = s.layer.gather()
        volume = thickness * ocean.levels.wet * ocean.levels.horizontal.area
        return (s.tracer.gather() * volume).sum((1, 2, 3))

    before = content()
    steps(ocean, 5)
    area = (ocean.levels.horizontal.area * ocean.levels.mask).sum()
    expected = before + cooling * area * 6 * 1800.0
    assert content() == pytest.approx(expected, rel=1e-13)
    if scheme == "kpp":
        assert ocean.state.nonlocal_share.gather().max() > 0.1
        assert ocean.state.boundary_layer_depth.gather().max() > 20.0


def test_the_share_of_the_surface_flux_goes_down():
    """Without motion and diffusion each level keeps what enters above and leaves below."""
    ocean = small_ocean("kpp", Alone(), uniform=True)
    s, share = ocean.state, np.linspace(0.0, 0.9, 10)
    s.surface_flux.set_global(np.broadcast_to(cooling[:, None, None], s.surface_flux.shape))
    s.nonlocal_share.set_global(np.broadcast_to(share[:, None, None], s.nonlocal_share.shape))
    ocean.tracers(tau=1000.0, width=160)
    found = s.new_tracer.gather()[:, :, 5, 4]
    kept = np.append(share[1:], 1.0) - share
    for values, start, flux in zip(found, (12.0, 35.0), cooling, strict=True):
        assert values == pytest.approx(start + 100.0 * flux * kept, abs=1e-12)

"""Source package of Ardhuin et al. (2010), WAVEWATCH III's ST4 with the parameters of test 471.

Wind input (ardhuin_input.hpp) grows waves after Janssen (1991) with the stress that longer waves
left over; swell is damped by the air, laminar or turbulent. The friction velocity solves Janssen's
relation over the wave stress of the sub-step before by 10 Newton steps, up to a greatest drag; a
global step begins with the share of the stress that waves took up in the last one. The stress of
the tail beyond the last frequency is integrated for every point by 8 Runge-Kutta steps in the
logarithm of frequency, within 1e-3 of converged quadrature: no table, so no range that could be
left.

Breaking (ardhuin_dissipation.hpp) depends on the saturation in a window of directions; longer
breakers run over shorter waves. Tables made at start in double precision with our elementary
functions (ardhuin_tables.hpp): the weights of the window; the friction factor of the air over waves
at 451 places, 0.02 apart in log10(amplitude / roughness) from -1 to 8, each by 50 bisections; the
harmonics over direction of the difference of phase velocities, as many as leave out less than 1e-3
of the mean (7 at 24 directions and a frequency factor of 1.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core import constants
from halocline.core.native_options import native_of
from halocline.core.options import Options, option
from halocline.waves import _native
from halocline.waves.linear_input import LinearInput
from halocline.waves.source_integration import SourcePackage

ARDHUIN = "Ardhuin et al. 2010"
TEST_471 = "WAVEWATCH III manual, ST4, test 471"
JANSSEN = "Janssen 1991"
OBSERVED_DRAG = "Powell et al. 2003; Donelan et al. 2004; Curcic and Haus 2020"


@dataclass(frozen=True, kw_only=True)
class ArdhuinInput(Options):
    """Wind input and swell dissipation.

    >>> ArdhuinInput().growth_factor
    1.43
    """

    wind_height: float = option(10.0, "m", "height of the wind", at_least=1, source=TEST_471)
    growth_factor: float = option(1.43, "1", "beta_max of growth", at_least=0, source=TEST_471)
    charnock: float = option(
        0.0095, "1", "Charnock's number without waves, alpha_0", at_least=1e-5, source=TEST_471
    )
    maximum_roughness: float = option(
        0.0, "m", "limit of the roughness without waves; 0: none", at_least=0, source=TEST_471
    )
    maximum_drag: float = option(
        2.5e-3,
        "1",
        "limit of the drag coefficient at `wind_height`; 0: none, as WAVEWATCH III",
        at_least=0,
        source=OBSERVED_DRAG,
    )
    maximum_wave_stress: float = option(
        0.0,
        "m2 s-2",
        "limit of the stress of waves over the density of air that makes the sea rougher;"
        " 0: none; WAVEWATCH III: 2.2361",
        at_least=0,
        source="WAVEWATCH III 7.14, bound of the table of the stress",
    )
    wave_age_shift: float = option(
        0.006, "1", "added to u* / C for gustiness, z_alpha", at_least=0, source=TEST_471
    )
    direction_power: float = option(
        2.0, "1", "power of the cosine between wind and waves", at_least=0, source=JANSSEN
    )
    sheltering: float = option(
        0.3,
        "1",
        "share of the stress taken by longer waves that is lost",
        at_least=0,
        at_most=1,
        source=TEST_471,
    )
    turbulent_swell: float = option(
        0.66, "1", "strength of turbulent swell dissipation, s_1", at_least=0, source=TEST_471
    )
    swell_wind_direction: float = option(
        -0.018, "1", "effect of the wind along the waves on swell, s_2", source=TEST_471
    )
    swell_wind_speed: float = option(
        0.022, "1", "effect of the wind's strength on swell, s_3", at_least=0, source=TEST_471
    )
    critical_reynolds: float = option(
        1.5e5,
        "1",
        "Reynolds number where the air turns turbulent, s_4",
        at_least=0,
        source=TEST_471,
    )
    viscous_swell: float = option(
        1.2, "1", "strength of laminar swell dissipation, s_5", at_least=0, source=TEST_471
    )
    reynolds_height_power: float = option(
        0.0,
        "1",
        "the Reynolds number grows as height to 2 minus this power, s_6",
        at_least=0,
        at_most=1,
        source=TEST_471,
    )
    reynolds_width: float = option(
        3.6e5,
        "1",
        "width of the transition, by the spread of wave heights, s_7; 0: sharp",
        at_least=0,
        source=TEST_471,
    )
    roughness_ratio: float = option(
        0.04, "1", "roughness for swell over that for wind", at_least=0, source=TEST_471
    )


@dataclass(frozen=True, kw_only=True)
class ArdhuinDissipation(Options):
    """Dissipation by breaking.

    >>> ArdhuinDissipation(threshold=-1)
    Traceback (most recent call last):
    halocline.core.errors.UserError: threshold = -1 is too small; it is at least 1e-06.
    """

    coefficient: float = option(
        -2.2e-5, "1", "strength of spontaneous breaking, C_2", at_most=0, source=TEST_471
    )
    threshold: float = option(
        9e-4, "1", "saturation B_r above which waves break", at_least=1e-6, source=ARDHUIN
    )
    threshold_ratio: float = option(
        1.0,
        "1",
        "saturation over threshold where dissipation begins, C_4",
        at_least=0,
        source=TEST_471,
    )
    isotropic_part: float = option(
        0.3,
        "1",
        "share that follows the largest saturation of a frequency, C_6",
        at_least=0,
        at_most=1,
        source=ARDHUIN,
    )
    power: float = option(
        2.0, "1", "power of the excess of saturation, p", at_least=1, source=ARDHUIN
    )
    window_half_width: float = option(
        80.0,
        "degree",
        "half-width of the window of directions",
        at_least=0,
        at_most=170,
        source=ARDHUIN,
    )
    window_power: float = option(
        2.0, "1", "power of the cosine that weighs the window", at_least=0, source=ARDHUIN
    )
    cumulative: float = option(
        -0.40344, "1", "strength of cumulative breaking", at_most=0, source=TEST_471
    )
    cumulative_gap: float = option(
        0.5,
        "1",
        "relative difference of frequency between breakers and waves they run over",
        at_least=0,
        source=TEST_471,
    )
    breaking_probability: float = option(
        28.16,
        "1",
        "breaking probability over (sqrt B - sqrt B_r)^2",
        at_least=0,
        source="Banner et al. 2000; Ardhuin et al. 2010, eq. 19",
    )


@dataclass(frozen=True, kw_only=True)
class ArdhuinTail(Options):
    """Where the prognostic range ends and the tail f^-5 begins; mean wavenumber.

    >>> ArdhuinTail().peak_factor
    4.0
    """

    mean_frequency_factor: float = option(
        2.5, "1", "end as a multiple of the mean frequency f(m0, -1)", at_least=0, source=TEST_471
    )
    peak_factor: float = option(
        4.0,
        "1",
        "least end as a multiple of the Pierson-Moskowitz frequency",
        at_least=0,
        source=TEST_471,
    )
    wavenumber_power: float = option(
        0.5,
        "1",
        "power p of the mean wavenumber, (mean of k^p)^(1/p)",
        at_least=0.05,
        at_most=1.5,
        source="Bidlot et al. 2005",
    )


@dataclass(frozen=True, kw_only=True)
class Ardhuin(Options):
    """Source package of Ardhuin et al. (2010), test 471.

    >>> Ardhuin.from_table({"wind_input": {"growth_factor": 1.55}}).wind_input.growth_factor
    1.55
    """

    wind_input: ArdhuinInput = option(ArdhuinInput(), "", "wind input and swell dissipation")
    breaking: ArdhuinDissipation = option(ArdhuinDissipation(), "", "dissipation by breaking")
    linear: LinearInput = option(LinearInput(), "", "linear wind input")
    tail: ArdhuinTail = option(ArdhuinTail(), "", "end of the prognostic range")
    stress_from_rest: bool = option(
        False,
        "",
        "begin every global step with the stress of a sea without waves, and with what its waves"
        " take of that; otherwise with the share that they took before",
        source="WAVEWATCH III 7.14, TAUWBUG, there on",
    )


def ardhuin(options: Ardhuin | None = None) -> SourcePackage:
    """The package ST4.

    >>> ardhuin().name
    'ST4'
    """
    options = options or Ardhuin()
    constants_of_air = {
        "gravity": constants.gravity,
        "von_karman": constants.von_karman,
        "density_ratio": constants.air_density / constants.water_density,
        "air_viscosity": constants.air_viscosity,
    }
    native = native_of(
        _native.ArdhuinOptions,
        wind_input=native_of(_native.ArdhuinInputOptions, options.wind_input, **constants_of_air),
        breaking=native_of(_native.ArdhuinDissipationOptions, options.breaking),
        linear=native_of(
            _native.LinearInputOptions,
            options.linear,
            gravity=constants.gravity,
            density_ratio=constants_of_air["density_ratio"],
        ),
        **options.tail.to_table(),
        stress_from_rest=options.stress_from_rest,
    )
    return SourcePackage(
        "ST4",
        _native.integrate_ardhuin,
        _native.separate_ardhuin,
        _native.ArdhuinPackage(native),
        1,
    )

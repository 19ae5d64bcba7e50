"""The performance laboratory: records, diagnosis, scaling, prediction, benchmarks."""

from halocline import __version__ as __version__

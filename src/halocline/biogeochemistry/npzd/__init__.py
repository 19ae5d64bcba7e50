"""Four tracers of nitrogen: nutrient, phytoplankton, zooplankton, detritus (Kuhn et al. 2015)."""

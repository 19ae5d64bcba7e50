"""What stands between components that are coupled: the fluxes that air and sea exchange."""

"""The Biogeochemical Flux Model (BFM) in the set of tracers that OPATM and OGSTM carry."""

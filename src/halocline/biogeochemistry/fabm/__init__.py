"""Models of FABM, the Framework for Aquatic Biogeochemical Models, by its package pyfabm."""

"""Case files, components, the time loop, and the command line."""

"""Records of any MPI program, and records for other tools."""

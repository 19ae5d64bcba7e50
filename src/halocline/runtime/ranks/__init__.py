"""Who takes part: processes alone or under MPI, their launcher, roles and shared memory."""

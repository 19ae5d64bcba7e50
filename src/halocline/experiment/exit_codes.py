"""Exit codes of the command `halocline`."""

done = 0
internal_error = 1
user_error = 2
stopped = 3
damaged = 4
interrupted = 130

meanings = {
    done: "all done",
    internal_error: "an error inside Halocline: please report it with the traceback",
    user_error: "a mistake in the case, the data or the command, named in one message",
    stopped: "stopped cleanly by a signal or --walltime; a restart is written",
    damaged: "verify found a damaged file",
    interrupted: "interrupted before the run began, or ended at once by a second signal",
}


def table() -> str:
    """The codes and their meanings as lines."""
    return "\n".join(f"  {code:<3}  {meaning}" for code, meaning in meanings.items())

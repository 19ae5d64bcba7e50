"""`python -m halocline` is the command `halocline`."""

import sys

from halocline.runtime.launched import end_with_launcher


def command() -> int:
    """The command; a rank ends with its launcher from the first moment on."""
    end_with_launcher()
    from halocline.experiment.command_line import main

    return main()


sys.exit(command())

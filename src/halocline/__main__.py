"""`python -m halocline` is the command `halocline`."""

import sys

from halocline.experiment.command_line import main

sys.exit(main())

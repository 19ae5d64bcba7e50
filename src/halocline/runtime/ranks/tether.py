"""`tether.py PARENT SIGNAL HELD COMMAND...` becomes the command, which gets SIGNAL as PARENT ends.

HELD are signals, numbers with commas between them, that are blocked and stay pending. The command's
children are told in HALOCLINE_LAUNCHER on which node and by which number it runs. This imports
nothing of ours, since it runs before every command that is tethered.
"""

import ctypes
import os
import signal
import sys

set_parent_death_signal = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
ignored_by_python = (signal.SIGPIPE, signal.SIGXFSZ)

if __name__ == "__main__":
    parent, number, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]
    signal.pthread_sigmask(signal.SIG_BLOCK, [int(held) for held in sys.argv[3].split(",") if held])
    ctypes.CDLL(None).prctl(set_parent_death_signal, number)
    if os.getppid() != parent:  # it has ended before it could be watched
        sys.exit(128 + number)
    for other in ignored_by_python:
        signal.signal(other, signal.SIG_DFL)
    os.environ["HALOCLINE_LAUNCHER"] = f"{os.uname().nodename} {os.getpid()}"
    os.execvp(command[0], command)

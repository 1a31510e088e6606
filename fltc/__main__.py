"""`python -m fltc`: the command line from a checkout, installed or not."""

import sys

from fltc.start import run

if __name__ == "__main__":
    sys.exit(run())

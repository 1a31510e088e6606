"""`python -m fltc`: the command line from a checkout, installed or not."""

import sys

from fltc.cli import main

if __name__ == "__main__":
    sys.exit(main())

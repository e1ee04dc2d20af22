"""`python -m footnote_desktop` is the command `footnote`."""

import sys

from footnote_desktop.cli import main

if __name__ == "__main__":
    sys.exit(main())

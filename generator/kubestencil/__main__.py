"""The ``kubestencil`` command, also as ``python -m kubestencil``."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; exits as ``kubestencil.cli.main`` does.

    Ctrl-C prints no traceback, even while modules are imported.
    """
    # On Windows, programs such as git are not those of the current folder.
    os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")
    try:
        from kubestencil.cli import main as run_command_line
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run_command_line()


if __name__ == "__main__":
    main()

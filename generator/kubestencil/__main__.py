"""The ``kubestencil`` command, also as ``python -m kubestencil``."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; exits as ``kubestencil.cli.main`` does.

    Ctrl-C prints no traceback, even while modules are imported.
    """
    try:
        from kubestencil.cli import main as run_command_line
    except (KeyboardInterrupt, RuntimeError) as error:
        # While a class is made, an interrupt is the cause of another error.
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):
            raise
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run_command_line()


if __name__ == "__main__":
    main()

"""The ``kubestencil`` command, also as ``python -m kubestencil``."""

import contextlib
import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; exits as ``kubestencil.cli.main`` does.

    Ctrl-C prints no traceback, even while modules are imported.
    """
    # On Windows, programs such as git are not those of the current folder.
    os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")
    _import_nothing_from_the_current_folder()
    try:
        from kubestencil.cli import main as run_command_line
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run_command_line()


def _import_nothing_from_the_current_folder() -> None:
    """Undo what ``python -m`` does: the folder may be a stranger's, with modules, and with
    packages that register targets."""
    with contextlib.suppress(OSError):
        current = str(Path.cwd())
        if sys.path[0] in ("", current) and not __file__.startswith(current + os.sep):
            del sys.path[0]


if __name__ == "__main__":
    main()

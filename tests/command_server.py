"""Runs the command line in processes that have its modules imported already.

Importing them takes most of the time of a short command. This program imports them once;
for each line of standard input, a request as JSON, it forks a process that runs one
command as ``python -m kubestencil`` does, and then prints the exit code. ``Command`` of
``tests.conftest`` sends the requests: the folder, the environment, the arguments, and the
folder with the files ``in``, ``out`` and ``err`` that are the command's streams.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
import traceback
from typing import Any, NoReturn

# Seconds after which a command is ended by a signal.
_TIMEOUT = 300


def serve() -> None:
    """Run a command for each request until standard input ends."""
    # The folder of this file, which is on no user's path.
    del sys.path[0]
    _import_all()
    gc.freeze()
    # One request at a time: nothing is read ahead that a process would inherit.
    for line in iter(sys.stdin.readline, ""):
        process = os.fork()
        if process == 0:
            _run(json.loads(line))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _import_all() -> None:
    """Import the package. It starts no threads, which would not survive a fork."""
    import kubestencil

    for module in pkgutil.walk_packages(kubestencil.__path__, "kubestencil."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _run(request: dict[str, Any]) -> NoReturn:
    signal.alarm(_TIMEOUT)
    streams = request["streams"]
    for number, name in enumerate(("in", "out", "err")):
        flags = os.O_RDONLY if name == "in" else os.O_WRONLY | os.O_APPEND
        os.dup2(os.open(f"{streams}/{name}", flags), number)
    os.closerange(3, 64)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv[1:] = request["arguments"]
    from kubestencil.__main__ import main

    # As an interpreter ends: click's completion of the shell exits by itself.
    code: object = 1
    try:
        main()
    except SystemExit as exit_:
        code = exit_.code
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()

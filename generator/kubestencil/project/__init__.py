"""The project file kubestencil.toml, and its lock.

``file`` finds and reads kubestencil.toml, whose settings are the options of commands,
and refuses what a stranger's file must not do. ``lock`` pins the documents that a
project is generated from, in kubestencil.lock. ``lookup`` says what is newer than these,
for which ``newest`` asks servers. ``summary`` is the text on an update; what another version
of kubestencil generates differently is in its ``changelog``.
"""

from kubestencil.project.file import (
    FILE,
    GENERATE,
    Project,
    Setting,
    Settings,
    find_project,
    read_project,
    read_settings,
)
from kubestencil.project.lock import LOCK, Lock, read_lock, write_lock
from kubestencil.project.lookup import Lookup, look_up, write_locations

__all__ = [
    "FILE",
    "GENERATE",
    "LOCK",
    "Lock",
    "Lookup",
    "Project",
    "Setting",
    "Settings",
    "find_project",
    "look_up",
    "read_lock",
    "read_project",
    "read_settings",
    "write_locations",
    "write_lock",
]

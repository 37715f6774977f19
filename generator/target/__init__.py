"""How a release is printed: target.toml, views, templates."""

from generator.target.manifest import Target, load
from generator.target.printing import File, print_files, print_part

__all__ = ["File", "Target", "load", "print_files", "print_part"]

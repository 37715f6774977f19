"""``python -m kubestencil``: the same as the ``kubestencil`` command."""

from kubestencil.cli import main

if __name__ == "__main__":
    main()

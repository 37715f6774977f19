"""Times of generating TypeScript from CustomResourceDefinitions, beside cdk8s.

    python -m benchmarks.typescript_crds CRDS [PEERS]

CRDS and PEERS are those of ``python_crds.py``. Both programs read the same definitions:
those that cdk8s accepts. Times are CPU times of a command and its child processes, the
best of three.
"""

from __future__ import annotations

import sys

from benchmarks.measuring import row
from benchmarks.python_crds import (
    best,
    install_cdk8s,
    kubestencil,
    read_arguments,
    run_cdk8s,
    write_accepted,
)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    crds, peers = read_arguments(sys.argv[1:])
    command = install_cdk8s(peers)
    if command is None:
        sys.exit("cdk8s is installed by npm, which is missing")
    file = peers / "crds.yaml"
    accepted = write_accepted(crds, file)
    print(f"{len(crds)} CustomResourceDefinitions, cdk8s accepts {accepted}")
    own = best(lambda out: kubestencil(file, out, "typescript"), "*.ts")
    print(row("kubestencil", own, own))
    other = best(lambda out: run_cdk8s(command, file, out, "typescript"), "*.ts")
    print(row("cdk8s import", other, own))


if __name__ == "__main__":
    main()

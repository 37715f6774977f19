"""The npm package yaml as one script for browsers, which the docs site has at
``templates/site/assets/vendor/yaml.js``.

``python -m tests.yaml_bundle`` writes it again after a change of a version in
``.ci/npm/package.json``, with the packages of ``.ci/npm`` installed and their programs on
the PATH.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

BUNDLE = Path(__file__).parent.parent / "templates/site/assets/vendor/yaml.js"
_ENTRY = 'export { Composer, isAlias, isMap, isScalar, Parser } from "yaml";'


def bundle() -> bytes:
    """The package with its licence, as esbuild bundles it for browsers."""
    program = shutil.which("esbuild")
    assert program, "esbuild is not on the PATH"
    packages = Path(program).absolute().parents[1]
    licence = (packages / "yaml/LICENSE").read_text("utf-8").strip()
    version = json.loads((packages / "yaml/package.json").read_bytes())["version"]
    return subprocess.run(
        [
            program,
            "--bundle",
            "--minify",
            "--platform=browser",
            "--global-name=kubestencilYaml",
            f"--banner:js=/*! The npm package yaml {version}\n\n{licence}\n*/",
        ],
        input=_ENTRY.encode(),
        cwd=packages.parent,
        capture_output=True,
        check=True,
    ).stdout


if __name__ == "__main__":
    BUNDLE.write_bytes(bundle())

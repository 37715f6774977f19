"""Makes the pictures of pages: ``python -m tests.pictures``, where Chromium is.

Two are screenshots of generated pages, one is what ``kubestencil check`` prints in a
terminal, as SVG.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

from tests.browser import chromium
from tests.conftest import RELEASES, ROOT, make_command

IMAGES = ROOT / "docs" / "images"
FIELD = "spec.containers.imagePullPolicy"
MANIFEST = """\
apiVersion: autoscaling/v2beta2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        imagePullPolicy: Allways
        resources: {limit: {cpu: 1}}
"""
_SGR = re.compile(r"\x1b\[([\d;]*)m")
_COLOURS = {"31": "#f47067", "32": "#57ab5a", "33": "#c69026", "34": "#539bf5"}
_COLOURS |= {"35": "#b083f0", "36": "#39c5cf", "90": "#768390", "2": "#768390"}


def main() -> None:
    """Make all pictures anew."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "web.yaml").write_text(MANIFEST)
        command = "check web.yaml --to 1.35"
        text = _terminal_output(folder, *command.split())
        (IMAGES / "check.svg").write_text(_svg(f"$ kubestencil {command}\n{text}"))
        run = make_command(folder)
        newest, previous = RELEASES[-1], RELEASES[-2]
        done = run("render", previous, newest, "-t", "site", "-t", "diff", "-o", "out")
        assert done.returncode == 0, done.stderr
        with chromium(folder / "profile") as driver:
            driver.set_window_size(1100, 720)
            for image, page in (
                ("site", f"site/{newest}/core/v1/Pod/index.html#{FIELD}"),
                ("report", f"diff/{previous}-{newest}.html"),
            ):
                driver.get(f"{(folder / 'out').as_uri()}/{page}")
                time.sleep(2)  # The page scrolls to the field.
                driver.save_screenshot(str(IMAGES / f"{image}.png"))


def _terminal_output(folder: Path, *arguments: str) -> str:
    """What the command prints in a terminal, with its colours."""
    controller, terminal = pty.openpty()
    environment = {**make_command(folder).environment, "PAGER": "cat", "COLUMNS": "100"}
    del environment["NO_COLOR"]
    process = subprocess.Popen(
        [sys.executable, "-m", "kubestencil", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
    )
    os.close(terminal)
    text = b""
    try:
        while chunk := os.read(controller, 4096):
            text += chunk
    except OSError:  # The end of a terminal.
        process.wait()
    os.close(controller)
    return text.decode().replace("\r\n", "\n")


def _svg(text: str) -> str:
    """A picture of a terminal with a text and its colours."""
    lines = text.rstrip("\n").splitlines()
    width = max(len(_SGR.sub("", line)) for line in lines)
    rows = "".join(
        f'<text x="12" y="{20 + 17 * row}" xml:space="preserve">{_spans(line)}</text>'
        for row, line in enumerate(lines, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{24 + 7.9 * width:.0f}" '
        f'height="{34 + 17 * len(lines)}" font-family="monospace" font-size="13" '
        'fill="#adbac7"><rect width="100%" height="100%" rx="6" fill="#22272e"/>'
        f"{rows}</svg>\n"
    )


def _spans(line: str) -> str:
    """A line as SVG: an element for each run of one style."""
    spans, style = "", ""
    for index, part in enumerate(_SGR.split(line)):
        if index % 2:
            codes = [code for code in part.split(";") if code not in ("", "0")]
            colours = [_COLOURS[code] for code in codes if code in _COLOURS]
            style = f' fill="{colours[0]}"' if colours else ""
            style += ' font-weight="bold"' if "1" in codes else ""
        elif part:
            spans += f"<tspan{style}>{escape(part)}</tspan>" if style else escape(part)
    return spans


if __name__ == "__main__":
    main()

"""``kubestencil check`` beside a real API server, on mutations of valid objects.

These are the first 2,000; ``python -m tests.check_mutations`` tries all 20,000.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.api_server import Client
from tests.check_mutations import (
    EXPLAINED,
    describe,
    disagreement,
    rules_by_group,
    run_cases,
)


@pytest.mark.nightly
def test_the_check_agrees_with_the_server_on_mutations(
    api_server: Client, custom_resources: list[dict[str, Any]], tmp_path: Path
) -> None:
    rules = rules_by_group(custom_resources)
    statuses: Counter[int] = Counter()
    texts: list[str] = []
    for case in run_cases(api_server, custom_resources, 2_000, tmp_path):
        statuses[case.reply.status] += 1
        how = disagreement(case, rules)
        if how:
            texts.append(describe(how, case))
    assert [
        text
        for text in texts
        if not any(re.search(pattern, text) for pattern in EXPLAINED)
    ] == []
    # There are enough of each: accepted, not decoded, not valid, not served.
    assert min(statuses[status] for status in (201, 400, 422, 0)) > 100

"""Reports as JUnit XML, which CI servers show as failed tests.

There is no standard; the elements are those that Jenkins and GitLab read
(https://github.com/testmoapp/junitxml).
"""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kubestencil.checking.findings import Finding, Report
from kubestencil.checking.rules import Severity, at_least
from kubestencil.text.controls import one_line, without_controls

# What XML 1.0 cannot have, not even as a reference (2.2, Char).
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_junit(report: Report, fail_on: Severity) -> str:
    """A report as XML: a suite for each file with findings, and one for the others.

    Findings of the severity ``fail_on`` or a more severe one are failures, unless the
    upgrade fixes them.
    """
    failing = at_least(fail_on)
    root = Element("testsuites", name="kubestencil check")
    for file, findings in groupby(report.findings, key=lambda finding: finding.file):
        _add_suite(root, file, list(findings), failing)
    suite = SubElement(
        root,
        "testsuite",
        name="checked",
        tests=str(1 + len(report.skipped)),
        failures="0",
        skipped=str(len(report.skipped)),
    )
    SubElement(
        suite,
        "testcase",
        classname="checked",
        name=f"{report.checked} of {report.objects} objects in {report.files} files",
    )
    for text in report.skipped_lines():
        case = SubElement(suite, "testcase", classname="skipped", name=_text(text))
        SubElement(case, "skipped", message=_text(text))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _add_suite(
    root: Element, file: str, findings: list[Finding], failing: tuple[Severity, ...]
) -> None:
    failures = [finding for finding in findings if _fails(finding, failing)]
    suite = SubElement(
        root,
        "testsuite",
        name=_text(file),
        tests=str(len(findings)),
        failures=str(len(failures)),
    )
    for finding in findings:
        subject = finding.subject
        subject_text = " ".join(
            filter(None, (subject.kind, subject.name, finding.field_path))
        )
        case = SubElement(
            suite,
            "testcase",
            classname=_text(file),
            name=_text(
                f"{subject_text}: {finding.rule_id}"
                if subject_text
                else finding.rule_id
            ),
            file=_text(file),
            line=str(finding.line),
        )
        details = one_line(f"{file}:{finding.line}:{finding.column}: {finding.message}")
        if finding.hint:
            details += f"\nhint: {one_line(finding.hint)}"
        if _fails(finding, failing):
            failure = SubElement(
                case,
                "failure",
                type=finding.rule_id,
                message=_text(finding.message),
            )
            failure.text = _text(details)
        else:
            SubElement(case, "system-out").text = _text(
                f"{finding.severity}: {details}"
            )


def _fails(finding: Finding, failing: tuple[Severity, ...]) -> bool:
    return finding.severity in failing and finding.change != "fixed"


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", without_controls(text))

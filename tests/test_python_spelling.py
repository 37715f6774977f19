"""Names of attributes and classes in the Python clients."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.errors import SpecError
from kubestencil.targets.languages.python.spelling import Spelling, class_names

SPLIT, WHOLE = Spelling("split"), Spelling("whole")


@pytest.mark.parametrize(
    ("name", "split", "whole"),
    [
        ("apiVersion", "api_version", "api_version"),
        ("podIP", "pod_ip", "pod_ip"),
        ("podIPs", "pod_i_ps", "pod_ips"),
        ("nonResourceURLs", "non_resource_ur_ls", "non_resource_urls"),
        ("setHostnameAsFQDN", "set_hostname_as_fqdn", "set_hostname_as_fqdn"),
        ("$ref", "ref", "ref"),
        ("x-kubernetes-list-type", "x_kubernetes_list_type", "x_kubernetes_list_type"),
        ("continue", "_continue", "_continue"),
        ("exec", "_exec", "_exec"),
        ("1st", "_1st", "_1st"),
    ],
)
def test_attributes_have_the_names_of_the_clients(
    name: str, split: str, whole: str
) -> None:
    assert (SPLIT.attribute(name), WHOLE.attribute(name)) == (split, whole)


@given(st.text())
def test_an_attribute_is_always_an_identifier(name: str) -> None:
    assert SPLIT.attribute(name).isidentifier()


def test_class_names_keep_more_parts_until_they_differ() -> None:
    names = [
        "io.k8s.api.core.v1.Event",
        "io.k8s.api.events.v1.Event",
        "io.k8s.api.core.v1.Pod",
        "com.example.v1.Pod",
    ]
    assert class_names(names) == {
        "io.k8s.api.core.v1.Event": "CoreV1Event",
        "io.k8s.api.events.v1.Event": "EventsV1Event",
        "io.k8s.api.core.v1.Pod": "V1Pod",
        "com.example.v1.Pod": "ComExampleV1Pod",
    }


@pytest.mark.parametrize(
    "names",
    [
        ["com.a.Pod", "com.a-Pod"],
        # One file where the file system ignores case.
        ["com.a.PodIp", "com.a.PodIP"],
    ],
)
def test_two_definitions_with_the_same_class_are_refused(names: list[str]) -> None:
    with pytest.raises(SpecError, match="two definitions get the name"):
        class_names(names)

"""What pages do with a field and a manifest in headless Chromium: the code of a field that
is selected, the filter by what is known, and the page that checks a manifest."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.browser import DEPLOYMENT, DESK, PHONE, POD, Browser, click, file_url, served
from tests.conftest import Command, rest_nightly
from tests.test_crd import write as write_crds
from tests.test_crd_site import crd

WIDE = (1440, 900)
CODE = "return document.querySelector('#field-code .{} code')?.textContent"
PROBE = "spec.template.spec.containers.livenessProbe.httpGet.port"

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: "3"
  template:
    spec:
      restartPolicy: Sometimes
      serviceAccount: web # deprecated
      containers:
      - name: web
        imagepullPolicy: Always
        command: [sh, -c, ">-", "a: b"]
        resizePolicy:
        - {resourceName: cpu, restartPolicy: NotRequired}
---
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
---
apiVersion: example.com/v1
kind: Widget
---
{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pood"}]}
---
a: b
 c: d
"""


@pytest.mark.nightly
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_code_of_a_field_has_its_parents_and_what_is_required(
    browser: Browser, base_url: str, size: tuple[int, int]
) -> None:
    """Beside the fields, or below the description on narrow screens."""
    browser.screen(size)
    browser.open(f"{base_url}{DEPLOYMENT}#{PROBE}")
    browser.wait("document.getElementById('field-code')")
    manifest = yaml.safe_load(browser.run(CODE.format("yaml")))
    assert (manifest["apiVersion"], manifest["kind"]) == ("apps/v1", "Deployment")
    assert "selector" in manifest["spec"]
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    assert {"name", "image"} < container.keys()
    assert container["livenessProbe"]["httpGet"].keys() == {"port"}
    assert (
        "deployments web -o jsonpath="
        "'{.spec.template.spec.containers[*].livenessProbe.httpGet.port}'"
    ) in browser.run(CODE.format("kubectl"))
    kustomization = yaml.safe_load(browser.run(CODE.format("kustomize")))
    (entry,) = kustomization["patches"]
    patch = yaml.safe_load(entry["patch"])
    assert entry["target"]["name"] == patch["metadata"]["name"] == "web"
    (patched,) = patch["spec"]["template"]["spec"]["containers"]
    assert patched["name"] == "web"
    assert patched["livenessProbe"]["httpGet"].keys() == {"port"}
    assert patch["spec"].keys() == {"template"}
    is_beside = browser.run(
        "return Boolean(document.querySelector('.beside #field-code'))"
    )
    assert is_beside == (size == WIDE)
    if is_beside:
        click(browser, "#show-example")
        assert browser.run(CODE.format("yaml")) is None
        assert browser.run("return document.querySelector('.beside .yaml').innerText")


def test_fields_are_filtered_by_what_is_known_of_them(
    browser: Browser, base_url: str
) -> None:
    shown = (
        "[...document.querySelectorAll('main .match')].map((item) => item.id).join()"
    )
    show = (
        "const choice = document.querySelector('#field-show');"
        "choice.value = arguments[0]; choice.dispatchEvent(new Event('change'))"
    )
    browser.open(base_url + POD)
    browser.run(show, "Required")
    browser.wait(shown)
    required = browser.run(f"return {shown}").split(",")
    assert {"spec.containers", "spec.containers.image"} < {*required}
    assert "spec.affinity" not in required
    browser.run(show, "")
    browser.wait(f"!{shown}")
    browser.run(show, "1.35")
    browser.wait(shown)
    assert "spec.workloadRef" in browser.run(f"return {shown}").split(",")


def test_more_fields_are_on_the_first_screen(browser: Browser, base_url: str) -> None:
    """The answer is beside the name; three to five fields were on it before."""
    browser.screen(WIDE)
    browser.open(base_url + POD)
    count = browser.run(
        "return [...document.querySelectorAll('main ul.tree > li[id] > p:first-child')]"
        ".filter((line) => line.getBoundingClientRect().height"
        " && line.getBoundingClientRect().bottom <= innerHeight).length"
    )
    assert count >= 11


@pytest.mark.parametrize("method", ["served", "file"])
def test_a_manifest_is_checked_in_the_browser(
    browser: Browser, base_url: str, site_folder: Path, method: str
) -> None:
    """Nothing but the files of the site is asked for."""
    browser.screen(DESK)
    page = file_url(site_folder, "check/") if method == "file" else f"{base_url}check/"
    browser.open(page)
    browser.requests()
    browser.run(
        "const text = document.getElementById('manifest'); text.value = arguments[0];"
        "document.getElementById('check-since').value = '1.34';"
        "text.dispatchEvent(new Event('input'))",
        MANIFEST,
    )
    browser.wait("/error/.test(document.getElementById('check-summary').textContent)")
    start = page.partition("check/")[0]
    assert all(url.startswith(start) for url in browser.requests())
    lines: list[str] = browser.run(
        "return [...document.querySelectorAll('#check-results li')]"
        ".map((item) => [...item.querySelectorAll('p')].map((p) => p.innerText).join(' '))"
    )
    remarks = {
        MANIFEST.splitlines()[number].strip(): line
        for number, line in enumerate(lines[:-1])
    }
    assert "default 1" in remarks['replicas: "3"']
    assert "has to be: integer" in remarks['replicas: "3"']
    # What the server takes in a Deployment, of three values that the field has.
    assert "Allowed: Always. " in remarks["restartPolicy: Sometimes"]
    assert "deprecated" in remarks["serviceAccount: web # deprecated"]
    assert "Is imagePullPolicy meant?" in remarks["imagepullPolicy: Always"]
    assert remarks['command: [sh, -c, ">-", "a: b"]'] == ""
    assert "changed" in remarks["resizePolicy:"]
    assert "was removed in 1.25" in remarks["apiVersion: policy/v1beta1"]
    assert "Not checked" in remarks["apiVersion: example.com/v1"]
    assert "Is Pod meant?" in lines[22]
    assert "cannot be read as YAML: line" in "".join(lines[-4:])


CHECKED = [
    # A text, what the headline says, and what is said of which line.
    (
        "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: a\n",
        "Nothing was checked: this cannot be read as YAML.",
        4,
        "line 4, column 1",
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata: {}\n",
        "Nothing was checked: this cannot be read as YAML.",
        4,
        "This is a template: render it first",
    ),
    (
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "a\ndata: {}\n',
        "Nothing was checked: this cannot be read as YAML.",
        4,
        "a quote is not closed",
    ),
    ("# nothing\n---\n", "There is no object in this text.", 0, ""),
    ("", "", 0, ""),
    ("a: b\n", "Nothing was checked.", 1, "it has no apiVersion and kind"),
    ("- a\n", "Nothing was checked.", 1, "this is no object"),
    ("apiVersion: example.com/v1\nkind: Widget\n", "Nothing was checked.", 1, "Not checked"),
    ("apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n", "Nothing was checked.", 1, "Not checked"),
    ("apiVersion: serving.knative.dev/v1\nkind: Service\n", "Nothing was checked.", 1, "Not checked"),
    ("apiVersion: v2\nkind: Pod\n", "1 object checked: 1 error", 1, "Use v1"),
    (
        "apiVersion: v1\nkind: PodList\nitems:\n- {metadata: {name: a}, spec: {containers: 1}}\n- a\n",
        "Only 1 of 2 objects checked: 1 error",
        4,
        "has to be a list",
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  a: c\n",
        "1 object checked: 1 error",
        6,
        "The key a is there twice",
    ),
    (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: ${REPLICAS}\n",
        "1 object checked: 2 errors",
        5,
        "has a placeholder",
    ),
    (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 0o17\n  paused: on\n",
        "1 object checked: 2 errors",
        5,
        "template is missing",
    ),
    (
        "a: &a {apiVersion: v1, kind: Pod, metadata: {name: a}}\n<<: *a\nspec: {b: c}\n",
        "1 object checked: 3 errors",
        3,
        "has no field b",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "headline", "line", "remark"), rest_nightly(CHECKED, 4)
)
def test_what_was_not_checked_has_not_no_errors(
    browser: Browser, base_url: str, text: str, headline: str, line: int, remark: str
) -> None:
    """What no parser reads, templates, and what the page knows nothing of."""
    browser.open(f"{base_url}check/")
    browser.run(
        "const text = document.getElementById('manifest');"
        "text.value = 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n';"
        "text.dispatchEvent(new Event('input'))"
    )
    summary = "document.getElementById('check-summary').textContent"
    browser.wait(f"/1 object checked: 0 errors/.test({summary})")
    browser.run(
        "const text = document.getElementById('manifest'); text.value = arguments[0];"
        "text.dispatchEvent(new Event('input'))",
        text,
    )
    browser.wait(f"!/1 object checked: 0 errors, 0 warnings, 0/.test({summary})")
    assert browser.run(f"return {summary}").startswith(headline)
    if line:
        remarks = browser.run(
            "return document.querySelectorAll('#check-results > li')"
            f"[{line - 1}].innerText"
        )
        assert remark in remarks


def test_all_findings_of_a_line_are_beside_it(browser: Browser, base_url: str) -> None:
    browser.screen(WIDE)
    browser.open(f"{base_url}check/")
    browser.run(
        "const text = document.getElementById('manifest'); text.value = arguments[0];"
        "text.dispatchEvent(new Event('input'))",
        "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  replicas: '3'\n",
    )
    browser.wait("document.querySelector('.find + .find')")
    assert browser.run(
        "const { right } = document.querySelector('.sheet code').getBoundingClientRect();"
        "return [...document.querySelectorAll('.find')]"
        ".every((finding) => finding.getBoundingClientRect().left >= right)"
    )


def test_the_name_of_an_object_is_checked_by_its_kind(
    browser: Browser, base_url: str
) -> None:
    """What the API server asks of names depends on the kind, and holds for no other name
    in its objects."""
    template = "template: {metadata: {name: A}, spec: {containers: []}}"
    names = {"StatefulSet": ("a" * 64, "a" * 63), "Deployment": ("A", "a" * 253)}
    documents = [
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata:\n  name: {name}\n"
        f"spec: {{selector: {{}}, {template}}}\n"
        for kind, pair in names.items()
        for name in pair
    ]
    browser.open(f"{base_url}check/")
    browser.run(
        "const box = document.getElementById('manifest'); box.value = arguments[0];"
        "box.dispatchEvent(new Event('input'))",
        "---\n".join(documents),
    )
    browser.wait(
        "/4 objects/.test(document.getElementById('check-summary').textContent)"
    )
    found = browser.run(
        "return [...document.querySelectorAll('.find.is-error')].map((find) =>"
        " `${find.closest('li').id} ${find.firstElementChild.textContent}`)"
    )
    assert found == ["line-4 name is too long.", "line-16 name cannot be A."]


def test_fixes_are_written_into_the_manifest(browser: Browser, base_url: str) -> None:
    browser.open(f"{base_url}check/")
    browser.run(
        "const text = document.getElementById('manifest'); text.value = arguments[0];"
        "text.dispatchEvent(new Event('input'))",
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nspec:\n  rules:\n"
        "  - http:\n      paths:\n      - path: /\n        backends: {}\n"
        "---\napiVersion: v1\nkind: Service\nspec:\n  type: Loadbalancer\n",
    )
    browser.wait("!document.getElementById('take-all').hidden")
    for _ in range(2):  # what only the right version is known to lack
        browser.run("document.getElementById('take-all').click()")
        browser.settle()
    text = browser.run("return document.getElementById('manifest').value")
    assert text.startswith("apiVersion: networking.k8s.io/v1\n")
    assert "type: LoadBalancer\n" in text


def test_an_unknown_address_is_looked_for(browser: Browser, base_url: str) -> None:
    """A removed kind, with what to use; the tests' server shows the page by its name."""
    browser.open(f"{base_url}404.html")
    browser.run("globalThis.kubestencil.openSearch('PodSecurityPolicy')")
    browser.wait(
        "/removed in 1.25/.test(document.getElementById('found')?.textContent)"
    )


def test_fields_inside_of_custom_resources_are_checked_in_the_browser(
    browser: Browser, run: Command
) -> None:
    write_crds(run.folder, crd())
    options = ("--crds", "crds.yaml", "-t", "site", "-o", "out")
    assert run("render", *options).returncode == 0
    manifest = (
        "apiVersion: example.com/v1\nkind: Widget\nspec: {parts: [{b: x}], size: a}\n"
    )
    with served(run.folder / "out" / "site") as url:
        browser.open(f"{url}check/")
        browser.run(
            "const text = document.getElementById('manifest'); text.value = arguments[0];"
            "text.dispatchEvent(new Event('input'))",
            manifest,
        )
        browser.wait("document.querySelector('#check-results a')")
        results = browser.run(
            "return document.getElementById('check-results').innerText"
        )
        links = browser.run(
            "return [...document.querySelectorAll('#check-results a')]"
            ".map((link) => link.getAttribute('href'))"
        )
    assert "has no field b" in results
    assert any(link.endswith("Widget/#spec.size") for link in links), links

"use strict";
// The code of the field that is selected, beside the fields: in YAML with what it is in and
// what has to be there with it, as a patch, and for kubectl; "languages.js" has the rest.
// "fields.js" loads this when a field is first selected, or the example is asked for in Go.
(() => {
  const { announce, loadScript, nameOf, nestedListOf, trees, typeListOf } = globalThis.kubestencil;
  const example = document.getElementById("whole-example");
  const heading = document.getElementById("examples");
  const showExample = document.getElementById("show-example");
  const MAX_DEPTH = 4; // of required fields inside of each other

  /** What the page says of its kind: apiVersion, kind, plural. */
  const about = Object.fromEntries(
    [...document.querySelectorAll(".about-type > div")].map((row) => [
      row.querySelector("dt").textContent, row.querySelector("dd").textContent,
    ]),
  );

  // ------------------------------------------------------------ what is known of a field

  // Of an object: the path of the page of its type, and the types of its fields by name.
  const TYPE = Symbol("type");

  /**
   * The type of a field: what it is a list or map of, from the outside, its name, the path of
   * its page (core/v1/Container), if it has one, and whether the document requires it.
   */
  function typeOf(item) {
    const name = nameOf(item);
    const link = name.nextElementSibling?.matches("a") ? name.nextElementSibling : name.nextSibling;
    const [, containers, type] = /^((?:list of |map of )*)(.*)$/.exec(link.textContent.trim());
    const [, page = pageInside(item)] = /([^/]+\/[^/]+\/[^/]+)\/(?:index\.html)?$/.exec(link.href ?? "") ?? [];
    const outer = containers.match(/list|map/g) ?? [];
    return { containers: outer.map((word) => (word === "list" ? "[]" : "map[string]")), type, page };
  }

  /** What stands for the page of an object inside of a custom resource: classes have such names. */
  function pageInside(item) {
    if (!nestedListOf(item)) return undefined;
    const outer = item.parentElement.closest("li");
    const words = nameOf(item).textContent.match(/[A-Za-z0-9]+/g) ?? ["field"];
    const name = words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
    return (outer ? typeOf(outer).page : ownPage) + name;
  }

  /** The name of an attribute that is beside that of the field; undefined without one. */
  const attribute = (item, pattern) =>
    [...item.querySelectorAll(":scope > dl:nth-child(2) dt")].find((name) => pattern.test(name.textContent));

  /** The first value of such an attribute. */
  const valueBeside = (item, pattern) => attribute(item, pattern)?.nextElementSibling.textContent;

  function isRequired(item) {
    const inKinds = attribute(item, new RegExp(`^required in .*\\b${about.kind}\\b`));
    // The classes of clients need what the document requires.
    return item.firstElementChild.querySelector(":scope > b") || item.hasAttribute("data-needed") || inKinds;
  }

  /** A value that the field can have, or a placeholder. */
  function sample(item, type) {
    const text =
      valueBeside(item, /^default/)?.split(/ if | in /)[0] ??
      valueBeside(item, /^$/)?.split(/, | or |; | in /)[0] ??
      attribute(item, /^-?\d+ (to|or more)/)?.textContent.split(" ")[0];
    const isNumber = /^-?\d+(\.\d+)?$/.test(text);
    if (/^(integer|number)(?! or)/.test(type)) return isNumber ? Number(text) : 1;
    if (isNumber && /^(IntOrString|integer or)/.test(type)) return Number(text);
    if (type === "boolean") return text !== "false";
    return text ?? `<${nameOf(item).textContent}>`;
  }

  const wrap = (containers, value) =>
    containers.reduceRight((inner, container) => (container === "[]" ? [inner] : { "<key>": inner }), value);

  /** An object of a type, whose fields are in a list, with values of some of them. */
  function objectOf(list, page, values) {
    const items = [...(list?.children ?? [])];
    const types = Object.fromEntries(items.map((item) => [nameOf(item).textContent, typeOf(item)]));
    const byItem = new Map(values);
    const given = items.filter((item) => byItem.has(item));
    const object = Object.fromEntries(given.map((item) => [nameOf(item).textContent, byItem.get(item)]));
    return { ...object, [TYPE]: { page, types } };
  }

  // Types with pages that are no objects.
  const SCALARS = /^(Quantity|IntOrString|Time|MicroTime|Duration)$/;

  /** A value of a field with all that is required in it. */
  function valueOf(item, depth = 0) {
    const { containers, type, page } = typeOf(item);
    const list = typeListOf(item) ?? nestedListOf(item);
    if (list && depth < MAX_DEPTH) return wrap(containers, objectOf(list, page, requiredIn(list, depth + 1)));
    const isObject = list || /^(object|any value)/.test(type) || (page && !SCALARS.test(type));
    return wrap(containers, isObject ? objectOf(list, page, []) : sample(item, type));
  }

  const requiredIn = (list, depth) =>
    [...list.children].filter(isRequired).map((item) => [item, valueOf(item, depth)]);

  /** The items that a field is in, from the outside, and its own. */
  function chainOf(item) {
    const outer = item.parentElement.closest("li");
    return outer ? [...chainOf(outer), item] : [item];
  }

  /** An object with the field at the end of a chain, and what has to be beside each. */
  function objectWith(list, page, [item, ...rest]) {
    const { containers, page: inner } = typeOf(item);
    const value = rest.length ? wrap(containers, objectWith(nestedListOf(item), inner, rest)) : valueOf(item);
    return objectOf(list, page, [...requiredIn(list, 1), [item, value]]);
  }

  const ownPage = document.documentElement.dataset.path;

  /** An object of the kind of the page: what says so comes first, and a name. */
  function manifest(object) {
    if (!about.kind) return object;
    const { apiVersion, kind } = about;
    const { page, types } = object[TYPE];
    const name = { name: "<name>", [TYPE]: { page: types.metadata?.page, types: {} } };
    const metadata = { ...name, ...object.metadata, [TYPE]: object.metadata?.[TYPE] ?? name[TYPE] };
    return { apiVersion, kind, metadata, ...object, ...{ apiVersion, kind, metadata }, [TYPE]: { page, types } };
  }

  /** A value of the example, as "yaml.js" reads it, with the types of the fields in a list. */
  function typed(node, containers, list, page) {
    const inside = (value) => typed(value, containers.slice(1), list, page);
    if (node.kind === "sequence") return node.items.map(inside);
    if (node.kind !== "mapping") return typeof node.value === "bigint" ? Number(node.value) : node.value;
    if (containers.length || !list) return Object.fromEntries(node.entries.map(({ key, value }) => [key, inside(value)]));
    const items = new Map([...list.children].map((item) => [nameOf(item).textContent, item]));
    const values = node.entries.map(({ key, value }) => {
      const item = items.get(key);
      const { containers: outer, page: target } = typeOf(item);
      return [item, typed(value, outer, typeListOf(item) ?? nestedListOf(item), target)];
    });
    return objectOf(list, page, values);
  }

  function wholeExample() {
    const [{ value }] = globalThis.kubestencil.readDocuments(example.querySelector(".yaml pre code").textContent);
    return manifest(typed(value, [], trees[0], ownPage));
  }

  // -------------------------------------------------------------------------- writing it

  // What YAML would not read as the text that it is.
  const NEEDS_QUOTES = /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|: |:$| #|\s$|^(true|false|null|yes|no|on|off|~)$|^[\d.+-]/i;
  const isEmpty = (value) => Object.keys(value).length === 0;

  function scalar(value) {
    if (typeof value === "object") return Array.isArray(value) ? "[]" : "{}";
    return typeof value === "string" && NEEDS_QUOTES.test(value) ? JSON.stringify(value) : String(value);
  }

  function yaml(value, indent = "") {
    return Object.entries(value).flatMap(([key, inner]) => {
      const start = Array.isArray(value) ? "-" : `${key}:`;
      if (typeof inner !== "object" || isEmpty(inner)) return [`${indent}${start} ${scalar(inner)}`];
      if (!Array.isArray(value)) return [`${indent}${start}`, ...yaml(inner, Array.isArray(inner) ? indent : `${indent}  `)];
      const [first, ...rest] = yaml(inner, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }

  /** A patch of RFC 6902 in a kustomization. */
  function patch(chain) {
    const pointer = chain.flatMap((item, index) => {
      const name = nameOf(item).textContent.replaceAll("~", "~0").replaceAll("/", "~1");
      const { containers } = typeOf(item);
      return index === chain.length - 1 ? [name] : [name, ...containers.map((kind) => (kind === "[]" ? "0" : "<key>"))];
    });
    const value = valueOf(chain.at(-1));
    const operation = [{ op: "add", path: `/${pointer.join("/")}`, value }];
    return [
      ...yaml({ patches: [{ target: { kind: about.kind, name: "<name>" } }] }),
      "  patch: |-", ...yaml(operation, "    "),
    ];
  }

  function kubectl(chain) {
    const resource = about.plural ?? about.kind.toLowerCase();
    const names = chain.map((item) => nameOf(item).textContent);
    const path = chain.map((item, index) => {
      const name = `.${names[index].replaceAll(".", "\\.")}`;
      const steps = typeOf(item).containers.map((kind) => (kind === "[]" ? "[*]" : ".*"));
      return index === chain.length - 1 ? name : name + steps.join("");
    });
    return [
      `kubectl explain ${resource}.${names.join(".")} --api-version=${about.apiVersion}`,
      `kubectl get ${resource} <name> -o jsonpath='{${path.join("")}}'`,
    ];
  }

  // ------------------------------------------------------------------------- showing it

  const element = (tag, properties, ...children) => {
    const created = Object.assign(document.createElement(tag), properties);
    created.append(...children);
    return created;
  };

  /** Keys as examples have them. */
  const highlighted = (line) => {
    const [, start, key, rest] = /^([\s-]*)([\w.<>-]+)(:.*)$/.exec(line) ?? [];
    return key ? [start, element("b", { textContent: key }), rest, "\n"] : [line, "\n"];
  };

  const isWide = matchMedia("(min-width: 80.01rem)");
  const LANGUAGES = { go: "Go", python: "Python", jsonnet: "Jsonnet", rust: "Rust", typescript: "TypeScript" };
  let language = "yaml";
  const requested = new Set();

  /** Load scripts once, in this order. */
  function load(...paths) {
    for (const path of paths.filter((path) => !requested.has(path))) {
      requested.add(path);
      loadScript(path, () => announce("The code cannot be loaded.")).addEventListener("load", showInGo);
    }
  }

  /** Load what writes other languages, for the field that is selected. */
  function loadLanguages() {
    const { release } = document.documentElement.dataset;
    load("assets/languages.js", "assets/go-fields.js", `${release}/rust-names.js`, `${release}/python-names.js`);
  }

  const codeBlock = (title, ...code) =>
    element("div", { className: "code" },
      element("button", { type: "button", className: "copy", ariaLabel: `Copy the ${title} code`, textContent: "Copy" }),
      element("pre", { tabIndex: 0, ariaLabel: title }, element("code", {}, ...code)));

  const inGo = document.getElementById("language-go");

  /** The whole example in Go, which the page does not have. */
  function showInGo() {
    if (!inGo?.checked) return;
    const { languages, readDocuments } = globalThis.kubestencil;
    if (languages && readDocuments) example.querySelector(".go").replaceChildren(codeBlock("Go", languages.go(wholeExample()).join("\n")));
    else {
      loadLanguages();
      load("assets/vendor/yaml.js", "assets/yaml.js");
    }
  }

  function show(item) {
    const chain = chainOf(item);
    const object = manifest(objectWith(chain[0].parentElement, ownPage, chain));
    const codes = [["yaml", "YAML", yaml(object)]];
    if (about.kind) codes.push(["kustomize", "Kustomize", patch(chain)], ["kubectl", "kubectl", kubectl(chain)]);
    for (const [value, title] of Object.entries(LANGUAGES)) {
      const lines = globalThis.kubestencil.languages?.[value](object) ?? ["…"];
      if (lines.length) codes.push([value, title, lines]);
    }
    const tabs = element("fieldset", { className: "tabs", id: "field-code" },
      element("legend", { className: "visually-hidden", textContent: "Language" }));
    for (const [value, title] of codes) {
      const input = element("input", { type: "radio", name: "field-code", value, id: `field-code-${value}`, checked: value === language });
      input.addEventListener("change", () => {
        language = value;
        if (value in LANGUAGES) loadLanguages();
      });
      tabs.append(input, element("label", { htmlFor: input.id, textContent: title }));
    }
    for (const [value, title, lines] of codes) {
      const text =
        value === "kubectl" ? [lines.join("\n\n")] : value in LANGUAGES ? [lines.join("\n")] : lines.flatMap(highlighted);
      tabs.append(
        element("div", { className: `example ${value}` }, codeBlock(title, ...text)),
      );
    }
    document.getElementById("field-code")?.remove();
    if (!isWide.matches) {
      // Where nothing is beside the fields, the code is below the description.
      item.insertBefore(tabs, nestedListOf(item));
      return;
    }
    example.hidden = true;
    example.after(tabs);
    heading.dataset.title ??= heading.textContent;
    heading.textContent = nameOf(item).textContent;
    showExample.hidden = false;
  }

  showExample.addEventListener("click", () => {
    document.getElementById("field-code")?.remove();
    example.hidden = false;
    showExample.hidden = true;
    heading.textContent = heading.dataset.title;
    heading.scrollIntoView({ block: "nearest" });
  });

  addEventListener("field-selected", ({ detail }) => show(detail));
  const showSelected = () => {
    const selected = document.querySelector("main li.here");
    if (selected && trees.some((tree) => tree.contains(selected))) show(selected);
  };
  globalThis.kubestencil.TYPE = TYPE;
  inGo?.addEventListener("change", showInGo);
  addEventListener("languages-loaded", () => {
    showInGo();
    showSelected();
    document.querySelector(`#field-code-${language}`)?.focus();
  });
  showInGo();
  showSelected();
})();

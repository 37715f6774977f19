"use strict";
// The code of the field that is selected, beside the fields: the whole object with the field in
// it, in YAML, as a patch, and for kubectl; "languages.js" has the rest. "fields.js" loads this,
// and what makes the object, when a field is first selected, or the example is asked for in Go.
(() => {
  const { ancestorsOf, announce, element, isEqual, isObject, loadScript, nameOf, nestedListOf, trees, typeListOf } = globalThis.kubestencil;
  const example = document.getElementById("whole-example");
  const heading = document.getElementById("examples");
  const showExample = document.getElementById("show-example");
  const { path: ownPage, release } = document.documentElement.dataset;

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
   * A field of the type with the page "owner": its name, what it is a list or map of, from the
   * outside, its type, the path of the page of that (core/v1/Container), if it has one, and the
   * name by which a patch finds the items of a list.
   */
  function fieldOf(item, owner) {
    const link = nameOf(item), name = link.textContent;
    const typeLink = link.nextElementSibling?.matches("a") ? link.nextElementSibling : link.nextSibling;
    const [, outer, label] = /^((?:list of |map of )*)(.*)$/.exec(typeLink.textContent.trim());
    const [, page] = /([^/]+\/[^/]+\/[^/]+)\/(?:index\.html)?$/.exec(typeLink.href ?? "") ?? [];
    const terms = [...item.querySelectorAll(":scope > dl > dt")];
    return {
      name, owner, label,
      containers: (outer.match(/list|map/g) ?? []).map((word) => (word === "list" ? "[]" : "map[string]")),
      type: label === "integer" ? `integer (${globalThis.kubestencil.isLong(owner, name) ? "int64" : "int32"})` : label,
      // Classes of objects inside of a custom resource are called by the fields that lead to them.
      page: page ?? (nestedListOf(item) ? owner + className(name) : undefined),
      key: terms.find(({ textContent }) => /^(merged by|patch merge key)$/.test(textContent))?.nextElementSibling.textContent,
    };
  }

  const className = (name) =>
    (name.match(/[A-Za-z0-9]+/g) ?? ["field"]).map((word) => word[0].toUpperCase() + word.slice(1)).join("");

  /** The fields that a field is in, from the outside, and itself. */
  const fieldsTo = (item) =>
    [item, ...ancestorsOf(item)].reduceRight((fields, inner) => [...fields, fieldOf(inner, fields.at(-1)?.page ?? ownPage)], []);

  /** A value with the types of the fields in a list. */
  function typed(value, [container, ...rest], list, page) {
    if (Array.isArray(value)) return value.map((item) => typed(item, rest, list, page));
    if (!isObject(value) || (!container && !page)) return value;
    const byName = new Map([...(list?.children ?? [])].map((item) => [nameOf(item).textContent, item]));
    const types = {};
    if (!container) for (const [name, item] of byName) types[name] = fieldOf(item, page);
    const entries = Object.entries(value).map(([name, part]) => {
      if (container) return [name, typed(part, rest, list, page)];
      const item = byName.get(name);
      return [name, item ? typed(part, types[name].containers, typeListOf(item) ?? nestedListOf(item), types[name].page) : part];
    });
    return Object.assign(Object.fromEntries(entries), container ? {} : { [TYPE]: { page, types } });
  }

  // -------------------------------------------------------------------------- writing it

  // What YAML would not read as the text that it is.
  const NEEDS_QUOTES = /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|: |:$| #|\s$|^(true|false|null|yes|no|on|off|~)$|^[+.\d][\d.:_e+-]*$|^0[xo]|^\d{4}-/i;
  const hasParts = (value) => value !== null && typeof value === "object" && Object.keys(value).length > 0;

  function scalar(value) {
    if (value !== null && typeof value === "object") return Array.isArray(value) ? "[]" : "{}";
    return typeof value === "string" && NEEDS_QUOTES.test(value) ? JSON.stringify(value) : String(value);
  }

  /** The lines of a value, each with whether it is of the field "name" of the object "holder". */
  function yaml(value, indent = "", { holder, name } = {}) {
    return Object.entries(value).flatMap(([key, inner]) => {
      const start = Array.isArray(value) ? "-" : `${key}:`;
      const isField = value === holder && key === name;
      const deeper = Array.isArray(inner) && !Array.isArray(value) ? indent : `${indent}  `;
      let lines = [[`${indent}${start} ${scalar(inner)}`]];
      if (hasParts(inner)) {
        lines = yaml(inner, deeper, { holder, name });
        if (Array.isArray(value)) lines[0][0] = `${indent}- ${lines[0][0].trimStart()}`;
        else lines.unshift([`${indent}${start}`]);
      }
      return lines.map(([text, isOn]) => [text, isOn || isField]);
    });
  }

  /** The object that has the last of some fields, each inside of the one before. */
  const holderOf = (object, fields) =>
    fields.slice(0, -1).reduce((outer, { name, containers }) =>
      containers.reduce((value) => Object.values(value ?? {})[0], outer?.[name]), object);

  /** What a strategic merge patch says to make one object of another. */
  function difference(before, after) {
    const removed = Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]);
    const changed = Object.entries(after).filter(([name, value]) => !isEqual(before[name], value));
    return Object.fromEntries([...removed, ...changed.map(([name, value]) => [name, changeOf(before[name], value, after[TYPE]?.types[name]?.key)])]);
  }

  function changeOf(before, after, key) {
    if (isObject(before) && isObject(after)) return difference(before, after);
    if (!key || !Array.isArray(before)) return after;
    const same = (items, item) => items.find((other) => other[key] === item[key]);
    return [
      ...after.filter((item) => !isEqual(same(before, item), item)).map((item) => {
        const old = same(before, item);
        return old ? { [key]: item[key], ...difference(old, item) } : item;
      }),
      ...before.filter((item) => !same(after, item)).map((item) => ({ [key]: item[key], $patch: "delete" })),
    ];
  }

  /** A strategic merge patch in a kustomization, which makes the object of the starter. */
  function patch(object, fields) {
    const before = globalThis.kubestencil.starterOf(ownPage);
    // Of a starter that has the field the patch says what it has, or in which item.
    const isKey = fields.at(-2)?.key === fields.at(-1).name;
    const removed = isKey ? fields.slice(0, -1) : fields;
    delete holderOf(before, removed)?.[removed.at(-1).name];
    const { apiVersion, kind, metadata: { name } } = object;
    const { metadata, ...rest } = difference(before, object);
    return [
      ...yaml({ patches: [{ target: { kind, name } }] }), ["  patch: |-"],
      ...yaml({ apiVersion, kind, metadata: { name, ...metadata }, ...rest }, "    "),
    ];
  }

  function kubectl(object, fields) {
    const { plural, kind, apiVersion } = about;
    const resource = plural ?? kind.toLowerCase();
    const path = fields.map(({ name, containers }, index) => {
      const steps = index === fields.length - 1 ? [] : containers.map((container) => (container === "[]" ? "[*]" : ".*"));
      return `.${name.replaceAll(".", "\\.")}${steps.join("")}`;
    });
    return [
      `kubectl explain ${resource}.${fields.map(({ name }) => name).join(".")} --api-version=${apiVersion}`, "",
      `kubectl get ${resource} ${object.metadata?.name ?? "<name>"} -o jsonpath='{${path.join("")}}'`,
    ];
  }

  // ------------------------------------------------------------------------- showing it

  /** A line with its key as examples have it, marked where it is of the field. */
  function highlighted([line, isOn]) {
    const [, start, key, rest] = /^([\s-]*)([\w./$<>-]+)(:.*)$/.exec(line) ?? [];
    const parts = key ? [start, element("b", { textContent: key }), rest] : [line];
    return [...(isOn ? [element("mark", {}, ...parts)] : parts), "\n"];
  }

  const isWide = matchMedia("(min-width: 80.01rem)");
  const LANGUAGES = { go: "Go", python: "Python", jsonnet: "Jsonnet", rust: "Rust", typescript: "TypeScript" };
  let language = "yaml";

  /** Load what writes other languages. */
  function loadLanguages() {
    const paths = ["assets/languages.js", "assets/go-fields.js", `${release}/rust-names.js`, `${release}/python-names.js`];
    for (const path of paths) loadScript(path, () => announce("The code cannot be loaded."));
  }

  const codeBlock = (title, ...code) =>
    element("div", { className: "code" },
      element("button", { type: "button", className: "copy", ariaLabel: `Copy the ${title} code`, textContent: "Copy" }),
      element("pre", { tabIndex: 0, ariaLabel: title }, element("code", {}, ...code)));

  const inGo = document.getElementById("language-go");

  /** The whole example in Go, which the page does not have. */
  function showInGo() {
    if (!inGo?.checked) return;
    const { languages, starterOf } = globalThis.kubestencil;
    if (!languages) loadLanguages();
    else if (starterOf) {
      const lines = languages.go(typed(starterOf(ownPage), [], trees[0], ownPage));
      example.querySelector(".go").replaceChildren(codeBlock("Go", lines.join("\n")));
    }
  }

  /** The codes of a field: language, title, lines. */
  function* codesOf(object, fields, hasExample) {
    if (hasExample) yield ["yaml", "YAML", yaml(object, "", { holder: holderOf(object, fields), name: fields.at(-1).name })];
    if (hasExample && about.plural && object.metadata?.name) yield ["kustomize", "Kustomize", patch(object, fields)];
    if (about.kind) yield ["kubectl", "kubectl", kubectl(object, fields)];
    for (const [value, title] of hasExample ? Object.entries(LANGUAGES) : []) {
      const lines = globalThis.kubestencil.languages?.[value](object) ?? ["…"];
      if (lines.length) yield [value, title, lines];
    }
  }

  function show(item) {
    const { exampleOf, saidOf } = globalThis.kubestencil;
    const fields = fieldsTo(item);
    const [reason] = saidOf(ownPage, fields, "reasons");
    const notes = reason ? [`No example: ${reason}.`] : saidOf(ownPage, fields, "notes").map((note) => `${note[0].toUpperCase()}${note.slice(1)}.`);
    const codes = [...codesOf(typed(exampleOf(ownPage, fields), [], trees[0], ownPage), fields, !reason)];
    const tabs = element("fieldset", { className: "tabs", id: "field-code" },
      element("legend", { className: "visually-hidden", textContent: "Language" }),
      ...notes.map((textContent) => element("p", { className: "soft", textContent })));
    const shown = codes.some(([value]) => value === language) ? language : codes[0]?.[0];
    for (const [value, title] of codes) {
      const input = element("input", { type: "radio", name: "field-code", value, id: `field-code-${value}`, checked: value === shown });
      input.addEventListener("change", () => {
        language = value;
        if (value in LANGUAGES) loadLanguages();
      });
      tabs.append(input, element("label", { htmlFor: input.id, textContent: title }));
    }
    for (const [value, title, lines] of codes) {
      const text = typeof lines[0] === "string" ? [lines.join("\n")] : lines.flatMap(highlighted);
      tabs.append(element("div", { className: `example ${value}` }, codeBlock(title, ...text)));
    }
    document.getElementById("field-code")?.remove();
    // Where nothing is beside the fields, the code is below the description.
    if (!isWide.matches) item.insertBefore(tabs, nestedListOf(item));
    else {
      example.hidden = true;
      example.after(tabs);
      heading.dataset.title ??= heading.textContent;
      heading.textContent = nameOf(item).textContent;
      showExample.hidden = false;
    }
    const line = tabs.querySelector("mark");
    const pane = isWide.matches ? tabs : line?.closest("pre");
    if (line) pane.scrollTop += line.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
  }

  showExample.addEventListener("click", () => {
    document.getElementById("field-code")?.remove();
    example.hidden = false;
    showExample.hidden = true;
    heading.textContent = heading.dataset.title;
    heading.scrollIntoView({ block: "nearest" });
  });

  /** Show the code of the field that is selected, once there is the data for it. */
  function showSelected() {
    const selected = document.querySelector("main li.here");
    if (globalThis.kubestencil.exampleOf && selected && trees.some((tree) => tree.contains(selected))) show(selected);
  }

  globalThis.kubestencil.TYPE = TYPE;
  inGo?.addEventListener("change", showInGo);
  addEventListener("field-selected", showSelected);
  addEventListener("field-examples", () => {
    showInGo();
    showSelected();
  });
  addEventListener("languages-loaded", () => {
    showInGo();
    showSelected();
    document.querySelector(`#field-code-${language}`)?.focus();
  });
  showInGo();
})();

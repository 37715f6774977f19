"use strict";
// The code of the selected field in Go (the types of client-go), Jsonnet (the library that is
// generated), Python, Rust and TypeScript, and of the whole example in Go.
// "code.js" loads this, and the names of Go, Python and Rust, when one of them is asked for.
(() => {
  const { TYPE } = globalThis.kubestencil;
  let goFields, pythonNames, rustNames;
  const quote = JSON.stringify;

  // ---------------------------------------------------------------------------------- Go

  // Packages of API versions that are not in k8s.io/api, and others.
  const VERSIONED = {
    meta: "k8s.io/apimachinery/pkg/apis/meta",
    apiextensions: "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions",
    apiregistration: "k8s.io/kube-aggregator/pkg/apis/apiregistration",
  };
  const PACKAGES = {
    resource: "k8s.io/apimachinery/pkg/api/resource",
    intstr: "k8s.io/apimachinery/pkg/util/intstr",
    runtime: "k8s.io/apimachinery/pkg/runtime",
    types: "k8s.io/apimachinery/pkg/types",
    ptr: "k8s.io/utils/ptr",
    unstructured: "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
  };
  const BASIC = {
    string: "string", "string (byte)": "[]byte", boolean: "bool", integer: "int64", "integer (int32)": "int32",
    "integer (int64)": "int64", number: "float64", "number (double)": "float64",
  };
  const raw = (type) => (value) => `${type}{Raw: []byte(\`${JSON.stringify(value)}\`)}`;
  // How values are made of types that are no structs in documents.
  const MADE = {
    "[]byte": (value) => `[]byte(${quote(atob(value))})`,
    "resource.Quantity": (value) => `resource.MustParse(${quote(String(value))})`,
    "intstr.IntOrString": (value) =>
      typeof value === "number" ? `intstr.FromInt32(${value})` : `intstr.FromString(${quote(value)})`,
    "metav1.Time": () => "metav1.Now()",
    "metav1.MicroTime": () => "metav1.NowMicro()",
    "metav1.FieldsV1": raw("metav1.FieldsV1"),
    "runtime.RawExtension": raw("runtime.RawExtension"),
    "apiextensionsv1.JSON": raw("apiextensionsv1.JSON"),
  };
  const isBuiltIn = (page) => pythonNames.groups.includes(page.split("/")[0]);

  /** A group as Go's packages and the Jsonnet library call it. */
  const shortGroup = (group) => (group === "internal.apiserver.k8s.io" ? "apiserverinternal" : group.split(".")[0]);

  /** Items between two brackets, each on a line of its own, which is "step" deeper. */
  const onLines = (open, items, close, indent, step) =>
    items.length ? `${open}\n${items.map((item) => `${indent}${step}${item},\n`).join("")}${indent}${close}` : open + close;

  /** A list or an object of JavaScript or Jsonnet. */
  function literal(value, indent, keyOf, valueOf) {
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    const items = Object.entries(value).map(([key, inner]) =>
      (Array.isArray(value) ? "" : `${keyOf(key)}: `) + valueOf(inner, `${indent}  `));
    return onLines(open, items, close, indent, "  ");
  }

  /** The type of a page: corev1.Container. */
  function goName(page) {
    const [group, version, kind] = page.split("/");
    if (version === "unversioned") return `${group}.${kind}`;
    return `${shortGroup(group)}${version}.${kind}`;
  }

  /** The type of the items of a list, or of the values of a map; empty where that has a name. */
  const inside = (type) => /^(?:\[\]|map\[[^\]]*\])(.*)$/.exec(type)?.[1] ?? "";

  /** A value of a type, which "usual" has in the document's words: []corev1.Container. */
  function goValue(value, type, usual, indent) {
    const deeper = `${indent}\t`;
    if (type.startsWith("*")) {
      const text = goValue(value, type.slice(1), usual, indent);
      return text.startsWith(`${type.slice(1)}{`) && !MADE[type.slice(1)] ? `&${text}` : `ptr.To[${type.slice(1)}](${text})`;
    }
    if (MADE[type]) return MADE[type](value);
    if (typeof value !== "object") return quote(value);
    if (value[TYPE]?.page) return goStruct(value, type, indent);
    const inner = inside(type) || inside(usual) || "any";
    const text = (item) => {
      const code = goValue(item, inner, inside(usual), deeper);
      return code.startsWith(`${inner}{`) && !MADE[inner] ? code.slice(inner.length) : code;
    };
    const lines = Array.isArray(value)
      ? value.map(text)
      : aligned(Object.entries(value).map(([key, item]) => [quote(key), text(item)]));
    if (lines.length === 1) {
      // As gofmt has a single item: without lines of its own.
      const code = lines[0].replaceAll(`\n\t`, "\n");
      return `${type}{${code}}`;
    }
    return block(type, lines, indent);
  }

  const block = (type, lines, indent) => onLines(`${type}{`, lines, "}", indent, "\t");

  /** Pairs of keys and values, aligned as gofmt does. */
  function aligned(pairs) {
    return pairs.map(([key, value], index) => {
      let [first, last] = [index, index];
      const isShort = (position) => pairs[position] && !pairs[position][1].includes("\n");
      if (!isShort(index)) return `${key}: ${value}`;
      while (isShort(first - 1)) first -= 1;
      while (isShort(last + 1)) last += 1;
      const width = Math.max(...pairs.slice(first, last + 1).map(([other]) => other.length));
      return `${key}:${" ".repeat(width - key.length + 1)}${value}`;
    });
  }

  function goStruct(object, type, indent) {
    const { page, types } = object[TYPE];
    const isKind = types.apiVersion && types.kind && types.metadata;
    const fields = Object.entries(object).filter(([field]) => !isKind || (field !== "apiVersion" && field !== "kind"));
    const values = fields.map(([field, value]) => {
      const [name, declared] = (goFields[page]?.[field] ?? "").split(" ");
      const { containers, type: label, page: target } = types[field] ?? { containers: [], type: "string" };
      const usual = containers.join("") + (target ? goName(target) : (BASIC[label] ?? "any"));
      const path = target === "meta/v1/ObjectMeta" ? "ObjectMeta" : name || `${field[0].toUpperCase()}${field.slice(1)}`;
      const goType = declared === "*" ? `*${usual}` : declared || usual;
      return [path.split("."), (deeper) => goValue(value, goType, usual, deeper)];
    });
    return goLiteral(values, type, indent);
  }

  /** A struct of values, each with the names of the structs that it is embedded in, and its own. */
  function goLiteral(values, type, indent) {
    const deeper = `${indent}\t`;
    const names = [...new Set(values.map(([[name]]) => name))];
    const pairs = names.map((name) => {
      const inner = values.filter(([[first]]) => first === name);
      if (inner[0][0].length === 1) return [name, inner[0][1](deeper)];
      return [name, goLiteral(inner.map(([path, write]) => [path.slice(1), write]), `${type.split(".")[0]}.${name}`, deeper)];
    });
    return block(type, aligned(pairs), indent);
  }

  /** A value in the maps and lists of an unstructured object. */
  function goAny(value, indent) {
    const deeper = `${indent}\t`;
    if (Array.isArray(value)) return block("[]any", value.map((item) => goAny(item, deeper)), indent);
    if (typeof value === "object") {
      const pairs = Object.entries(value).map(([key, item]) => [quote(key), goAny(item, deeper)]);
      return block("map[string]any", aligned(pairs), indent);
    }
    return Number.isInteger(value) ? `int64(${value})` : quote(value);
  }

  function go(object) {
    const { page } = object[TYPE];
    let code;
    if (isBuiltIn(page)) code = `&${goStruct(object, goName(page), "")}`;
    else code = `&${block("unstructured.Unstructured", [`Object: ${goAny(object, "\t")}`], "")}`;
    const names = new Set([...code.replaceAll(/"[^"]*"|`[^`]*`/g, "").matchAll(/\b([a-z]\w*)\.[A-Z]/g)].map(([, name]) => name));
    const imports = [...names].map((name) => {
      const [, folder, version] = /^([a-z]+?)(v\d\w*)$/.exec(name) ?? [];
      if (!folder) return `\t"${PACKAGES[name]}"`;
      return `\t${name} "${VERSIONED[folder] ?? `k8s.io/api/${folder}`}/${version}"`;
    });
    return ["import (", ...imports.sort((one, other) => (one.split('"')[1] < other.split('"')[1] ? -1 : 1)), ")", "", `var example = ${code}`];
  }

  // ------------------------------------------------------------------------------ Python

  function attribute(field) {
    const words = field.replaceAll("$", "").replaceAll("-", "_").replaceAll(/(.)([A-Z][a-z]+)/g, "$1_$2");
    return pythonNames.attributes[field] ?? words.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  }

  /** The module and the class of a type. */
  function classOf(page) {
    const [group, version, kind] = page.split("/");
    const { classes, package: root } = pythonNames;
    if (!isBuiltIn(page)) return [`${root}.${group.replaceAll(/\W/g, "_")}.${version}`, kind];
    const prefix = version === "unversioned" ? "" : `${version[0].toUpperCase()}${version.slice(1)}`;
    return [root, classes[page] ?? `${prefix}${kind}`];
  }

  function pythonValue(value, indent, modules) {
    const deeper = `${indent}    `, lines = (open, items, close) => onLines(open, items, close, indent, "    ");
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value !== "object") return quote(value);
    if (Array.isArray(value)) return lines("[", value.map((item) => pythonValue(item, deeper, modules)), "]");
    const page = value[TYPE]?.page;
    const entries = Object.entries(value).map(([key, inner]) => [key, pythonValue(inner, deeper, modules)]);
    const [module, name] = page ? classOf(page) : [];
    if (!name) return lines("{", entries.map(([key, code]) => `${quote(key)}: ${code}`), "}");
    modules.set(module, (modules.get(module) ?? new Set()).add(name));
    return lines(`${name}(`, entries.map(([key, code]) => `${attribute(key)}=${code}`), ")");
  }

  function python(object) {
    if (!pythonNames.package || (pythonNames.isOfficial && !isBuiltIn(object[TYPE].page))) return [];
    const modules = new Map();
    const code = pythonValue(object, "", modules);
    const imports = [...modules].sort().map(([module, names]) => {
      const sorted = [...names].sort();
      const line = `from ${module} import ${sorted.join(", ")}`;
      return line.length <= 88 ? line : onLines(`from ${module} import (`, sorted, ")", "", "    ");
    });
    return [...imports, "", `example = ${code}`];
  }

  // ----------------------------------------------------------------------------- Jsonnet

  const RESERVED =
    /^(assert|else|error|false|for|function|if|import|importbin|importstr|in|local|null|self|super|tailstrict|then|true)$/;
  const isName = (name) => /^[A-Za-z_]\w*$/.test(name) && !RESERVED.test(name);
  const jsonnetText = (text) => (/['\\\n]/.test(text) ? quote(text) : `'${text}'`);
  const jsonnetKey = (name) => (isName(name) ? name : jsonnetText(name));
  const access = (name) => (isName(name) ? `.${name}` : `[${jsonnetText(name)}]`);

  /** Where the library has a type: k.core.v1.container. */
  function libraryType(page) {
    const [group, version, kind] = page.split("/");
    const name = kind.replace(/^\p{Lu}+(?!\p{Ll})|^\p{Lu}/u, (word) => word.toLowerCase());
    return `k${access(shortGroup(group))}.${version}${access(name)}`;
  }

  // It has the types of groups that servers have built in, but not of those for other objects.
  const isInLibrary = (page) => page && isBuiltIn(page) && !/^(apiextensions|[^/]*\/unversioned)/.test(page);

  function jsonnetValue(value, indent) {
    if (typeof value === "string") return jsonnetText(value);
    if (typeof value !== "object") return String(value);
    if (isInLibrary(value[TYPE]?.page)) return jsonnetObject(value, indent) || "{}";
    return literal(value, indent, jsonnetKey, jsonnetValue);
  }

  /** What sets the fields of an object: with functions, or as patches where there are none. */
  function jsonnetTerms(object, type, path, indent) {
    return Object.entries(object).flatMap(([name, value]) => {
      const isObject = value?.[TYPE] !== undefined, isEmpty = isObject && !Object.keys(value).length;
      const hasFunction = !isEmpty && name !== "status" && (path.length > 0 || !/^(apiVersion|kind)$/.test(name));
      if (isObject && hasFunction) return jsonnetTerms(value, type + access(name), [...path, name], indent);
      const text = jsonnetValue(value, indent);
      if (hasFunction) return [`${type}${access(`with${name[0].toUpperCase()}${name.slice(1)}`)}(${text})`];
      const start = path.map((part) => `${jsonnetKey(part)}+: { `).join("");
      return [`{ ${start}${jsonnetKey(name)}: ${text}${" }".repeat(path.length + 1)}`];
    });
  }

  function jsonnetObject(object, indent) {
    return jsonnetTerms(object, libraryType(object[TYPE].page), [], indent).join(`\n${indent}+ `);
  }

  /** Where the page has an example of the kind for the library. */
  function jsonnet(object) {
    if (!document.querySelector("#whole-example .jsonnet") || !isInLibrary(object[TYPE].page)) return [];
    return ["local k = import 'main.libsonnet';", "", ...jsonnetObject(object, "").split("\n")];
  }

  // -------------------------------------------------------------------------------- Rust

  const RUST_TYPES = {
    string: "String", "string (byte)": "ByteString", boolean: "bool", integer: "i64", "integer (int32)": "i32",
    "integer (int64)": "i64", number: "f64", "number (double)": "f64",
  };
  // Where rustfmt breaks the arguments of calls and the items of lists, and short structs.
  const [CALL_WIDTH, STRUCT_WIDTH] = [60, 18];
  const indented = (text) => `    ${text.replaceAll("\n", "\n    ")}`;
  const ownLines = (texts) => texts.map((text) => `${indented(text)},\n`).join("");

  /** A string literal: JSON's but for its escapes. */
  const rustText = (text) =>
    quote(text).replaceAll(/\\(?:u([\da-f]{4})|([bf])|[^])/g, (escape, code, letter) => {
      if (letter) return letter === "b" ? "\\u{8}" : "\\u{c}";
      if (!code) return escape;
      return code.startsWith("d") ? "\\u{fffd}" : `\\u{${code}}`;
    });

  const rustField = (name) =>
    rustNames.fields[name] ?? name.replaceAll(/(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^A-Z])/g, "_").toLowerCase();

  /** A type as code has it, whose module is imported: core_v1::Container. */
  function rustPath(page, imports) {
    const [group, version, kind] = page.split("/");
    const module = rustNames.modules[`${group}/${version}`];
    imports.add(module);
    return `${module.split(" as ")[1]}::${kind}`;
  }

  /** A value of a type of Rust. */
  function rustScalar(value, type, imports) {
    const { crate } = rustNames;
    if (type === "String") return `${rustText(String(value))}.into()`;
    if (type === "ByteString") {
      imports.add(`${crate}::ByteString`);
      return `ByteString(${rustText(atob(value))}.into())`;
    }
    if (type === "f64") return Number.isInteger(value) ? `${value}.0` : String(value);
    if (/^(bool|i32|i64)$/.test(type)) return String(value);
    imports.add(`${crate}::serde_json::json`);
    return `json!(${typeof value === "string" ? rustText(value) : quote(value)})`;
  }

  /** A value of a type that is no struct, in the form that the crate has it. */
  function rustNamed(value, page, imports) {
    const path = rustPath(page, imports);
    const form = rustNames.values[page];
    if (form.startsWith("props_or_")) return `${path}::Schema(Box::default())`;
    if (form.endsWith("time")) return `${path}(${rustText(value)}.parse().unwrap())`;
    if (form === "int_or_string") {
      return typeof value === "number" ? `${path}::Int(${value})` : `${path}::String(${rustScalar(value, "String", imports)})`;
    }
    return `${path}(${rustScalar(value, form === "quantity" ? "String" : form, imports)})`;
  }

  /** A value of a field, which is in so many lists and maps, without indentation. */
  function rustValue(value, { containers: [container, ...rest], type, page }, imports) {
    const inner = { containers: rest, type, page };
    const isLong = (text) => text.includes("\n") || text.length > CALL_WIDTH;
    if (container === "[]") {
      const items = value.map((item) => rustValue(item, inner, imports));
      const text = items.join(", ");
      return `vec![${items.length > 1 && isLong(text) ? `\n${ownLines(items)}` : text}]`;
    }
    if (container) {
      imports.add("std::collections::BTreeMap");
      const entries = Object.entries(value);
      const around = entries.length === 1 ? "BTreeMap::from([()])" : "";
      const pairs = entries.map(([key, item]) => {
        const texts = [`${rustText(key)}.into()`, rustValue(item, inner, imports)];
        return isLong(around + texts.join(", ")) ? `(\n${ownLines(texts)})` : `(${texts.join(", ")})`;
      });
      const text = `BTreeMap::from([${pairs.join(", ")}])`;
      return pairs.length > 1 && isLong(text) ? `BTreeMap::from([\n${ownLines(pairs)}])` : text;
    }
    if (rustNames.values[page]) return rustNamed(value, page, imports);
    if (page && value[TYPE]) return rustStruct(value, imports);
    return rustScalar(value, RUST_TYPES[type] ?? "json", imports);
  }

  function rustStruct(object, imports) {
    const { page, types } = object[TYPE];
    const { required, boxed, kinds, withoutDefault } = rustNames;
    const names = Object.keys(types).filter((name) => !kinds.includes(page) || (name !== "apiVersion" && name !== "kind"));
    const present = Object.keys(object).filter((name) => names.includes(name));
    const isOption = (name) => !required[page]?.includes(name);
    const path = rustPath(page, imports);
    const lines = present.map((name) => {
      let text = rustValue(object[name], types[name], imports);
      if (boxed[page]?.includes(name)) text = `Box::new(${text})`;
      return `${rustField(name)}: ${isOption(name) ? rustSome(text) : text},`;
    });
    if (withoutDefault[page]) {
      for (const [name, inner] of Object.entries(withoutDefault[page])) {
        if (!present.includes(name)) lines.push(`${rustField(name)}: ${isOption(name) ? "None" : rustAbsent(inner, imports)},`);
      }
    } else if (!present.length) return `${path}::default()`;
    else if (present.length < names.length) lines.push("..Default::default()");
    const body = lines[0].slice(0, -1);
    if (lines.length === 1 && !body.includes("\n") && body.length <= STRUCT_WIDTH) return `${path} { ${body} }`;
    return `${path} {\n${indented(lines.join("\n"))}\n}`;
  }

  /** The value of a required field that the page has no value of; "page" is that of a type without default. */
  function rustAbsent(page, imports) {
    if (!page) return "Default::default()";
    return rustValue({ [TYPE]: { page, types: {} } }, { containers: [], page }, imports);
  }

  /** An argument of Some, on lines of its own where its first line is too long. */
  function rustSome(text) {
    const [first] = text.split("\n", 1);
    const [, item] = /^vec!\[([^\n][^]*)\]$/.exec(text) ?? [];
    const [, call, argument] = /^([\w:]+)\((.+)\)$/.exec(text) ?? [];
    if (call && text.length > CALL_WIDTH) return `Some(${call}(\n${indented(argument)},\n))`;
    if (first.length <= CALL_WIDTH || (!item && first === text)) return `Some(${text})`;
    return item ? `Some(vec![\n${indented(item)},\n])` : `Some(\n${indented(text)},\n)`;
  }

  function rust(object) {
    const { page } = object[TYPE];
    const [group, version] = page.split("/");
    // The crate has List<Pod> instead of PodList.
    const isList = object[TYPE].types.items && object[TYPE].types.kind;
    if (!rustNames.crate || !isBuiltIn(page) || !rustNames.modules[`${group}/${version}`] || rustNames.values[page] || isList) return [];
    const imports = new Set();
    const code = rustStruct(object, imports);
    const swapped = (text) => text.replaceAll(/\p{L}/gu, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
    const sorted = [...imports].sort((one, other) => (swapped(one) < swapped(other) ? -1 : 1));
    return [...sorted.map((path) => `use ${path};`), "", `pub fn example() -> ${rustPath(page, imports)} {`, indented(code), "}"];
  }

  // -------------------------------------------------------------------------- TypeScript

  function typescriptValue(value, indent) {
    if (typeof value !== "object") return quote(value);
    const keyOf = (key) => (/^[a-zA-Z_]\w*$/.test(key) ? key : quote(key));
    return literal(value, indent, keyOf, typescriptValue);
  }

  /** With the import of the whole example, which names the package. */
  function typescript(object) {
    const example = document.querySelector("#whole-example .typescript pre code")?.textContent ?? "";
    const [start] = /^import type[^]*? = /.exec(example) ?? [];
    return start ? `${start}${typescriptValue(object, "")};`.split("\n") : [];
  }

  /** Called by the script of the site: names and types of Go, by type and field. */
  globalThis.kubestencilGoFields = (fields) => (goFields = fields);

  /** Called by a script of the release. */
  globalThis.kubestencilRustNames = (names) => (rustNames = names);

  /** Called by the other one, the last of all. */
  globalThis.kubestencilPythonNames = (names) => {
    pythonNames = names;
    globalThis.kubestencil.languages = { go, jsonnet, python, rust, typescript };
    dispatchEvent(new Event("languages-loaded"));
  };
})();

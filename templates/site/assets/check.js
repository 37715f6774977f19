"use strict";
// The page that checks a manifest. Nothing is sent: what it compares with are the indexes of
// the search, and what releases changed, which are scripts of the site.
(() => {
  const { root, release: newest } = document.documentElement.dataset;
  const { address, loadScript, readDocuments } = globalThis.kubestencil;
  const [text, releaseInput, sinceInput, summary, results] = [
    "manifest", "check-release", "check-since", "check-summary", "check-results",
  ].map((id) => document.getElementById(id));
  const releases = [...releaseInput.options].map((option) => option.value);
  const MAX_TEXT = 2_000_000, MAX_FINDINGS = 1000;

  // --------------------------------------------------------------------------- the data

  const indexes = new Map(); // by release; "" has the types that not all releases have
  const texts = new Map();
  const changes = new Map();
  const asked = new Set();

  /** Keep what the script of a release brings, which the search may have asked for, too. */
  function receive(name, store) {
    let other;
    const own = (data) => {
      if (!store.has(data.release)) store.set(data.release, data);
      if (data.release === newest || !data.release) other?.(data);
      schedule();
    };
    Object.defineProperty(globalThis, name, { get: () => own, set: (value) => (other = value), configurable: true });
  }
  receive("kubestencilIndex", indexes);
  receive("kubestencilTexts", texts);
  receive("kubestencilChanges", changes);

  function load(path) {
    if (asked.has(path)) return;
    asked.add(path);
    loadScript(path, () => (summary.textContent = `${path} cannot be loaded.`));
  }

  /** The steps between the release that is compared with and the one that is checked. */
  function steps() {
    const [first, last] = [sinceInput?.value, releaseInput.value].map((name) => releases.indexOf(name));
    return first < 0 ? [] : releases.slice(first + 1, last + 1);
  }

  const known = new Map(); // what a release has, by its name

  /** The types of a release by "apiVersion kind", and what is known of their fields. */
  function readRelease(name) {
    if (known.has(name)) return known.get(name);
    const index = indexes.get(name);
    const { texts: descriptions, positions, answers, aliases } = texts.get(name);
    const facts = new Map(answers.map(([position, ...answer]) => [position, answer]));
    let position = 0;
    const types = index.types.map(([kind, api, isKind, , , , fields, , place]) => {
      const [page, inside] = place ?? [kind, ""];
      const path = `${index.apiVersions[api]}/${page}`;
      position++;
      const byName = new Map(fields.map(([field, label, reference = -1]) => {
        const [standard = "", values = [], since = ""] = facts.get(position) ?? [];
        const description = descriptions[positions[position]];
        position++;
        return [field, { label, reference, standard, values, since, description }];
      }));
      return { kind, path, prefix: inside && `${inside}.`, isKind, fields: byName };
    });
    const byKind = new Map();
    for (const type of types) {
      if (type.isKind) byKind.set(`${type.path.replace(/^core\//, "").replace(/\/[^/]*$/, "")} ${type.kind}`, type);
    }
    const removed = new Map(aliases.filter(([, , , note]) => /was removed in/.test(note)).map(([to, , words, note]) => [words.toLowerCase(), { to: types[to], note }]));
    known.set(name, { types, byKind, removed });
    return known.get(name);
  }

  // ------------------------------------------------------------------------ the findings

  /** The nearest of some names, where it is near enough to be meant. */
  function nearest(name, names) {
    const distances = [...names].map((other) => [distance(name.toLowerCase(), other.toLowerCase()), other]);
    distances.sort(([one], [other]) => one - other);
    return distances.length && distances[0][0] <= Math.max(1, Math.floor(name.length / 4)) ? distances[0][1] : "";
  }

  function distance(one, other) {
    if (Math.abs(one.length - other.length) > 4 || one.length > 200) return Infinity;
    let row = [...Array(other.length + 1).keys()];
    for (let i = 1; i <= one.length; i++) {
      const next = [i];
      for (let j = 1; j <= other.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1]));
      }
      row = next;
    }
    return row.at(-1);
  }

  const NAMES = { mapping: "an object", sequence: "a list", scalar: "a value" };
  const BOOLEAN = /^(true|false)$/i;

  /** Whether a scalar has a type of the document; texts that YAML reads as numbers have not. */
  function hasType({ text, isQuoted }, label) {
    if (text === null) return label === "string";
    if (/^integer or string|^(number|any value)/.test(label)) return true;
    if (/^integer/.test(label)) return !isQuoted && /^[+-]?\d+(\.0*)?$|^0[xo]/.test(text);
    if (label === "boolean") return !isQuoted && /^(true|false|yes|no|on|off)$/i.test(text);
    return isQuoted || !(BOOLEAN.test(text) || /^[+-]?(\d+|\d*\.\d+|\d+\.\d*)(e[+-]?\d+)?$/i.test(text));
  }

  class Check {
    constructor(release) {
      this.release = release;
      this.data = readRelease(release);
      this.findings = [];
      this.changed = new Map();
      for (const step of steps()) {
        for (const [path, items] of Object.entries(changes.get(step).changed)) {
          for (const [field, , label] of items) {
            const key = `${path} ${field}`;
            this.changed.set(key, [...(this.changed.get(key) ?? []), `${label} in ${step}`]);
          }
        }
      }
    }

    add(line, level, message, path = "") {
      this.findings.push({ line, level, message, path });
    }

    document({ value, error, line }) {
      if (error) this.add(line, "error", `The document ${error}.`);
      else this.object(value);
    }

    object(node) {
      if (node.kind === "sequence") return node.items.forEach((item) => this.object(item));
      if (node.kind !== "mapping") return this.add(node.line, "error", "This is no object.");
      const entry = (name) => node.entries.find(({ key }) => key === name);
      const [apiVersion, kind] = ["apiVersion", "kind"].map((name) => entry(name)?.value.text);
      if (!apiVersion || !kind) {
        return this.add(node.line, "note", "Not checked: it has no apiVersion and kind.");
      }
      if (apiVersion === "v1" && kind === "List") {
        const items = entry("items")?.value;
        return items?.kind === "sequence" ? this.object(items) : undefined;
      }
      const type = this.data.byKind.get(`${apiVersion} ${kind}`);
      if (!type) return this.unknownKind(entry("apiVersion").line, apiVersion, kind);
      this.fields(node, type, "");
    }

    unknownKind(line, apiVersion, kind) {
      const others = [...this.data.byKind].filter(([, type]) => type.kind === kind).map(([name]) => name.split(" ")[0]);
      const removed = this.data.removed.get(kind.toLowerCase());
      const older = indexes.get("").types.find(([name, api, , , , , , last]) =>
        name === kind && last && indexes.get("").apiVersions[api].replace(/^core\//, "") === apiVersion);
      const where = older ? `${apiVersion} ${kind} is in ${older.at(-1)}, not in ${this.release}` : `${this.release} has no ${apiVersion} ${kind}`;
      if (removed) this.add(line, "error", `${removed.note}. See ${removed.to.kind}.`, removed.to.path);
      else if (others.length) this.add(line, "error", `${where}. Use ${others.at(-1)}.`, this.data.byKind.get(`${others.at(-1)} ${kind}`).path);
      else {
        const similar = nearest(kind, new Set([...this.data.byKind.values()].map((type) => type.kind)));
        const isOwn = !apiVersion.includes("/") || /\.k8s\.io\/|^(apps|batch|autoscaling|policy|extensions)\//.test(apiVersion);
        if (similar && isOwn) this.add(line, "error", `${where}. Is ${similar} meant?`);
        else this.add(line, older || isOwn ? "error" : "note", isOwn || older ? `${where}.` : `Not checked: ${where}.`);
      }
    }

    /** The fields of an object of a type. */
    fields(node, type, prefix) {
      const names = new Set();
      for (const { key, line, value } of node.entries) {
        const path = `${prefix}${key}`;
        if (names.has(key)) this.add(line, "error", `${path} is there twice.`);
        names.add(key);
        const field = type.fields.get(key);
        if (!field) {
          if (!type.fields.size) continue; // any field
          const similar = nearest(key, type.fields.keys());
          this.add(line, "error", `${type.kind} has no field ${key}.${similar ? ` Is ${similar} meant?` : ""}`, type.path);
          continue;
        }
        const place = type.prefix + key, changed = this.changed.get(`${type.path} ${place}`) ?? [];
        const page = `${type.path}/#${encodeURIComponent(place)}`;
        const facts = [
          field.since && `since ${field.since}`,
          field.standard && `default ${field.standard}`,
          ...changed,
        ].filter(Boolean);
        if (/(^|[.\s(])deprecated[:. ]/i.test(field.description ?? "") && /deprecated/i.test(field.description.slice(0, 200))) {
          this.add(line, "warning", `${path} is deprecated: ${field.description.slice(0, 200)}`, page);
        }
        if (facts.length) this.add(line, changed.length ? "changed" : "note", `${path}: ${facts.join(" · ")}`, page);
        this.value(value, field, field.label.match(/\[\]|map\[string\]/g) ?? [], path, page);
      }
    }

    /** A value that is a list or map of something ("containers"), or that itself. */
    value(node, field, [container, ...rest], path, page) {
      if (node.kind === "unknown" || node.kind === "null") return;
      const type = this.data.types[field.reference];
      const label = field.label.replace(/^(\[\]|map\[string\])+/, "");
      const isObject = type ? type.fields.size > 0 : label === "object";
      const expected = container === "[]" ? "sequence" : container || isObject ? "mapping" : "scalar";
      if (!container && (type ? !isObject : /^(object|any value)$/.test(label))) return; // Quantity, JSON, and the like
      if (node.kind !== expected) {
        return this.add(node.line, "error", `${path} has to be ${NAMES[expected]}, and is ${NAMES[node.kind]}.`, page);
      }
      if (container === "[]") return node.items.forEach((item) => this.value(item, field, rest, path, page));
      if (container) return node.entries.forEach(({ key, value }) => this.value(value, field, rest, `${path}.${key}`, page));
      if (isObject && type) return this.fields(node, type, `${path}.`);
      if (!hasType(node, label)) {
        const written = node.isQuoted ? `the text ${JSON.stringify(node.text ?? "…")}` : node.text;
        const unquoted = label === "string" ? " without quotes" : "";
        this.add(node.line, "error", `${path} has to be: ${label}. It is ${written}${unquoted}.`, page);
      } else if (node.text && field.values.length && !field.values.includes(node.text)) {
        this.add(node.line, "error", `${path} cannot be ${node.text}. Allowed: ${field.values.join(", ")}.`, page);
      }
    }
  }

  // ------------------------------------------------------------------------------ showing

  const LEVELS = { error: "breaking", warning: "warning", changed: "docs", note: "docs" };

  function showFindings(lines, findings) {
    const byLine = Map.groupBy(findings.slice(0, MAX_FINDINGS), ({ line }) => line);
    const items = lines.map((line, index) => {
      const item = document.createElement("li");
      const code = document.createElement("code");
      code.textContent = line || " ";
      item.append(code);
      for (const { level, message, path } of byLine.get(index) ?? []) {
        const remark = document.createElement("p");
        const label = document.createElement("span");
        label.className = `severity ${LEVELS[level]}`;
        label.textContent = level;
        remark.append(label, ` ${message} `);
        if (path) {
          const link = document.createElement("a");
          link.href = address(`${root}${releaseInput.value}/${path.includes("#") ? path : `${path}/`}`);
          link.textContent = "Page";
          link.ariaLabel = `Page of ${path.replace("/#", ".")}`;
          remark.append(link);
        }
        item.append(remark);
      }
      return item;
    });
    results.replaceChildren(...items);
  }

  function check() {
    const release = releaseInput.value;
    results.replaceChildren();
    if (!text.value.trim()) return (summary.textContent = "");
    if (text.value.length > MAX_TEXT) return (summary.textContent = "This is more than two million characters.");
    for (const name of ["search", "search-texts"]) load(`${release}/${name}.js`);
    load("assets/other-releases.js");
    const between = steps();
    for (const step of between) load(`compare/${encodeURIComponent(step)}.js`);
    const isLoaded = indexes.has(release) && texts.has(release) && indexes.has("") && between.every((step) => changes.has(step));
    if (!isLoaded) return (summary.textContent = "Loading …");
    const run = new Check(release);
    for (const part of readDocuments(text.value)) run.document(part);
    const count = (level) => run.findings.filter((finding) => finding.level === level).length;
    const words = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    summary.textContent = `${words(count("error"), "error")}, ${words(count("warning"), "warning")}, ${words(count("changed") + count("note"), "remark")}.`;
    showFindings(text.value.split(/\r?\n/), run.findings);
  }

  let timer;
  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(check, 150);
  }

  for (const input of [text, releaseInput, sinceInput]) input?.addEventListener("input", schedule);
  document.getElementById("check-form").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("check-file").addEventListener("change", async ({ target }) => readFiles(target.files));

  async function readFiles(files) {
    const contents = await Promise.all([...files].map((file) => file.text()));
    if (contents.length) text.value = contents.join("\n---\n");
    schedule();
  }
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    readFiles(event.dataTransfer.files);
  });
  schedule();
})();

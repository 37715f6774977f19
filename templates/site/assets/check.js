"use strict";
// The page that checks a manifest. Nothing is sent: what it compares with are the indexes of
// the search, and what releases changed, which are scripts of the site.
(() => {
  const { root, release: newest } = document.documentElement.dataset;
  const { address, loadScript, placeholderReader, readDocuments } = globalThis.kubestencil;
  const [text, releaseInput, sinceInput, summary, results] = [
    "manifest", "check-release", "check-since", "check-summary", "check-results",
  ].map((id) => document.getElementById(id));
  const releases = [...releaseInput.options].map((option) => option.value);
  const form = document.getElementById("check-form");
  const { isEncryptedFile, isTemplate, reasonUnknown } = placeholderReader(JSON.parse(form.dataset.placeholders));
  const MAX_TEXT = 1_000_000, MAX_FINDINGS = 1000;

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

  /** The group of an apiVersion; that of "v1" is "core", as in addresses. */
  const groupOf = (apiVersion) => (apiVersion.includes("/") ? apiVersion.split("/")[0] : "core");

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
    const groups = new Set(["extensions", ...[...index.apiVersions, ...indexes.get("").apiVersions].map(groupOf)]);
    known.set(name, { types, byKind, removed, groups });
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

  /** Whether a value has a type of the document. */
  function hasType(value, label) {
    if (/^integer or string/.test(label)) return /bigint|string/.test(typeof value);
    if (/^any value/.test(label)) return true;
    if (/^integer/.test(label)) return typeof value === "bigint";
    if (/^number/.test(label)) return /bigint|number/.test(typeof value);
    return typeof value === (label === "boolean" ? "boolean" : "string");
  }

  class Check {
    constructor(release) {
      this.release = release;
      this.data = readRelease(release);
      this.findings = [];
      this.total = this.checked = 0; // objects, and documents that are none
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

    document({ value, repeated, error, line, text: part }) {
      if (!error) {
        for (const { key, line: at } of repeated) this.add(at, "error", `The key ${key} is there twice: the last one counts.`);
        return this.object(value);
      }
      this.total++;
      if (isTemplate(part)) this.add(line, "not checked", "This is a template: render it first, and check what it becomes.");
      else this.add(line, "error", `Line ${line + 1}: ${error}. YAML cannot be read from here on.`);
    }

    skip(line, reason) {
      this.add(line, "not checked", `Not checked: ${reason}.`);
    }

    /** Checks an object. The items of a list have its apiVersion and kind, without "List". */
    object(node, implied = {}) {
      const entry = (name) => node.entries?.find(({ key }) => key === name);
      const items = entry("items")?.value, sops = entry("sops")?.value.entries;
      const [apiVersion, kind] = ["apiVersion", "kind"].map((name) => entry(name)?.value.value ?? implied[name]);
      // What is needed to decrypt the document.
      if (sops?.some(({ key }) => key === "mac" || key === "version")) node.entries = node.entries.filter(({ key }) => key !== "sops");
      if (typeof kind === "string" && kind.endsWith("List") && items?.kind === "sequence" && items.items.length) {
        const single = kind.slice(0, -"List".length);
        for (const item of items.items) this.object(item, single ? { apiVersion, kind: single } : {});
        return;
      }
      this.total++;
      if (node.kind !== "mapping") return this.skip(node.line, "this is no object");
      if (typeof apiVersion !== "string" || typeof kind !== "string") return this.skip(node.line, "it has no apiVersion and kind");
      const unknown = [apiVersion, kind].map((value) => reasonUnknown({ value })).find(Boolean);
      if (unknown) return this.skip(node.line, `its kind ${unknown}`);
      this.checked++;
      const type = this.data.byKind.get(`${apiVersion} ${kind}`);
      if (!type) return this.unknownKind(entry("apiVersion")?.line ?? node.line, apiVersion, kind);
      this.fields(node, type, "");
    }

    unknownKind(line, apiVersion, kind) {
      const others = [...this.data.byKind].filter(([, type]) => type.kind === kind).map(([name]) => name.split(" ")[0]);
      const removed = this.data.removed.get(kind.toLowerCase());
      const older = indexes.get("").types.find(([name, api, , , , , , last]) =>
        name === kind && last && indexes.get("").apiVersions[api].replace(/^core\//, "") === apiVersion);
      const where = older ? `${apiVersion} ${kind} is in ${older.at(-1)}, not in ${this.release}` : `${this.release} has no ${apiVersion} ${kind}`;
      const group = groupOf(apiVersion);
      const isForeign = group.includes(".") && !group.endsWith(".k8s.io") && !nearest(group, this.data.groups);
      if (removed && !isForeign) this.add(line, "error", `${removed.note}. See ${removed.to.kind}.`, removed.to.path);
      else if (others.length && !isForeign) this.add(line, "error", `${where}. Use ${others.at(-1)}.`, this.data.byKind.get(`${others.at(-1)} ${kind}`).path);
      else if (this.data.groups.has(group) || older) {
        const similar = nearest(kind, new Set([...this.data.byKind.values()].map((type) => type.kind)));
        this.add(line, "error", `${where}.${similar ? ` Is ${similar} meant?` : ""}`);
      } else {
        this.checked--;
        this.skip(line, where);
      }
    }

    /** The fields of an object of a type. */
    fields(node, type, prefix) {
      for (const { key, line, value } of node.entries) {
        const path = `${prefix}${key}`;
        const field = type.fields.get(key);
        if (!field) {
          if (!type.fields.size) continue; // any field
          const unknown = reasonUnknown({ value: key });
          if (unknown) {
            this.skip(line, `the name of a field ${unknown}`);
            continue;
          }
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
        this.value(value, field, field.label.match(/list of |map of /g) ?? [], path, page);
      }
    }

    /** A value that is a list or map of something ("containers"), or that itself. */
    value(node, field, [container, ...rest], path, page) {
      if (node.value === null) return;
      const unknown = reasonUnknown(node);
      // A text that is right as it stands is right, whatever it looks like.
      const refuse = (message) => (unknown ? this.skip(node.line, `${path} ${unknown}`) : this.add(node.line, "error", message, page));
      const type = this.data.types[field.reference];
      const label = field.label.replace(/^(list of |map of )+/, "");
      const isObject = type ? type.fields.size > 0 : label === "object";
      const expected = container === "list of " ? "sequence" : container || isObject ? "mapping" : "scalar";
      if (!container && (type ? !isObject : /^(object|any value)$/.test(label))) return; // Quantity, JSON, and the like
      if (node.kind !== expected) {
        return refuse(`${path} has to be ${NAMES[expected]}, and is ${NAMES[node.kind]}.`);
      }
      if (container === "list of ") return node.items.forEach((item) => this.value(item, field, rest, path, page));
      if (container) return node.entries.forEach(({ key, value }) => this.value(value, field, rest, `${path}.${key}`, page));
      if (isObject && type) return this.fields(node, type, `${path}.`);
      if (!hasType(node.value, label)) {
        const isText = typeof node.value === "string";
        const written = isText ? `the text ${JSON.stringify(node.value)}` : `${node.value}${label === "string" ? " without quotes" : ""}`;
        refuse(`${path} has to be: ${label}. It is ${written}.`);
      } else if (node.value !== "" && field.values.length && !field.values.includes(String(node.value))) {
        refuse(`${path} cannot be ${node.value}. Allowed: ${field.values.join(", ")}.`);
      }
    }
  }

  // ------------------------------------------------------------------------------ showing

  const LEVELS = { error: "breaking", warning: "warning", "not checked": "warning", changed: "docs", note: "docs" };

  function showFindings(lines, findings) {
    const rank = Object.keys(LEVELS);
    const severest = findings.toSorted((one, other) => rank.indexOf(one.level) - rank.indexOf(other.level));
    const byLine = Map.groupBy(severest.slice(0, MAX_FINDINGS), ({ line }) => line);
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

  /** How much was checked comes first: what was not has no errors either. */
  function headline({ findings, total, checked }) {
    const count = (level) => findings.filter((finding) => finding.level === level).length;
    const words = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const counts = `${words(count("error"), "error")}, ${words(count("warning"), "warning")}, ${words(count("changed") + count("note"), "remark")}.`;
    const shown = findings.length > MAX_FINDINGS ? ` The ${MAX_FINDINGS} most severe are shown.` : "";
    if (!total) return "There is no object in this text.";
    if (!checked) return `Nothing was checked${count("error") ? `: ${words(count("error"), "error")}` : ""}.${shown}`;
    return `${checked < total ? `Only ${checked} of ${words(total, "object")}` : words(total, "object")} checked: ${counts}${shown}`;
  }

  function check() {
    const release = releaseInput.value;
    results.replaceChildren();
    if (!text.value.trim()) return (summary.textContent = "");
    if (isEncryptedFile(text.value)) return (summary.textContent = "Nothing was checked: the text is encrypted.");
    if (text.value.length > MAX_TEXT) return (summary.textContent = "Nothing was checked: this is more than a million characters.");
    for (const name of ["search", "search-texts"]) load(`${release}/${name}.js`);
    load("assets/other-releases.js");
    const between = steps();
    for (const step of between) load(`compare/${encodeURIComponent(step)}.js`);
    const isLoaded = indexes.has(release) && texts.has(release) && indexes.has("") && between.every((step) => changes.has(step));
    if (!isLoaded) return (summary.textContent = "Loading …");
    const run = new Check(release);
    for (const part of readDocuments(text.value)) run.document(part);
    summary.textContent = headline(run);
    showFindings(text.value.split(/\r?\n/), run.findings);
  }

  let timer;
  function schedule() {
    clearTimeout(timer);
    timer = setTimeout(check, 150);
  }

  for (const input of [text, releaseInput, sinceInput]) input?.addEventListener("input", schedule);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("check-file").addEventListener("change", async ({ target }) => readFiles(target.files));

  async function readFiles(files) {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    try {
      const contents = await Promise.all([...files].map(async (file) => decoder.decode(await file.arrayBuffer())));
      if (contents.length) text.value = contents.join("\n---\n");
      schedule();
    } catch {
      text.value = "";
      results.replaceChildren();
      summary.textContent = "Nothing was checked: a file is not UTF-8 text, or cannot be read.";
    }
  }
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    readFiles(event.dataTransfer.files);
  });
  schedule();
})();

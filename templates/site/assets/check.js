"use strict";
// The page that checks a manifest. Nothing is sent: what it compares with are the types that the
// search (rank.js) has, and what releases changed, which are scripts of the site.
(() => {
  const { root } = document.documentElement.dataset;
  const { address, element, loadScript, placeholderReader, readDocuments } = globalThis.kubestencil;
  const { distance, joined, knownAt, pools } = globalThis.kubestencilSearch;
  const [text, releaseInput, sinceInput, summary, results, takeAll, links] = [
    "manifest", "check-release", "check-since", "check-summary", "check-results", "take-all", "check-lines",
  ].map((id) => document.getElementById(id));
  const releases = [...releaseInput.options].map((option) => option.value);
  const form = document.getElementById("check-form");
  const { isEncryptedFile, isTemplate, reasonUnknown } = placeholderReader(JSON.parse(form.dataset.placeholders));
  const MAX_TEXT = 1_000_000, MAX_FINDINGS = 1000, MAX_LINKS = 20, MAX_MISTAKES = 4;

  // --------------------------------------------------------------------------- the data

  const changes = new Map(); // what each release changed
  globalThis.kubestencilChanges = (data) => {
    changes.set(data.release, data);
    schedule();
  };

  const load = (path) => loadScript(path, () => (summary.textContent = `${path} cannot be loaded.`));

  /** The steps between the release that is compared with and the one that is checked. */
  function steps() {
    const [first, last] = [sinceInput?.value, releaseInput.value].map((name) => releases.indexOf(name));
    return first < 0 ? [] : releases.slice(first + 1, last + 1);
  }

  /** The group of an apiVersion; that of "v1" is "core", as in addresses. */
  const groupOf = (apiVersion) => (apiVersion.includes("/") ? apiVersion.split("/")[0] : "core");

  /** What is known of a field apart from what findings and names say anyway. */
  const wordsOf = ({ facts = [] }) =>
    facts.filter(({ about }) => !/^(required|added|gate|deprecated)$/.test(about)).map(({ text }) => text).join("; ");

  // ------------------------------------------------------------------------ the findings

  /** The nearest of some names, where it is near enough to be meant. */
  function nearest(name, names) {
    const limit = Math.min(Math.max(1, Math.floor(name.length / 4)), MAX_MISTAKES);
    const distances = [...names].map((other) => [distance(name.toLowerCase(), other.toLowerCase(), limit), other]);
    distances.sort(([one], [other]) => one - other);
    return distances.length && distances[0][0] <= limit ? distances[0][1] : "";
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
      const pool = pools.get(release), kinds = pool.types.filter(({ role }) => role === "kind");
      this.pool = pool;
      this.byKind = new Map(kinds.map((type) => [`${type.api.text.replace(/^core\//, "")} ${type.name.text}`, type]));
      this.findings = [];
      this.total = this.checked = this.unread = 0; // objects, and documents that are none
      this.changed = new Map();
      for (const step of steps()) {
        for (const [path, items] of Object.entries(changes.get(step).changed)) {
          for (const [field, , label] of items) {
            const key = `${path}/ ${field}`;
            this.changed.set(key, [...(this.changed.get(key) ?? []), `${label} in ${step}`]);
          }
        }
      }
    }

    /** Add what is wrong at a line, what is right, and what mends it: a "fix" has a label, and the
     * text that takes the place of another one, or is a line of its own after it. */
    add(line, level, wrong, { right = "", path = "", fix, name = "" } = {}) {
      this.findings.push({ line, level, wrong, right, path, fix, name });
    }

    document({ value, repeated, error, line, column, text: part }) {
      if (!error) {
        for (const { key, line: at } of repeated) this.add(at, "error", `The key ${key} is there twice: the last one counts.`);
        return this.object(value);
      }
      this.total++;
      this.unread++;
      const right = isTemplate(part) ? "This is a template: render it first, and check what it becomes." : "What follows is not checked.";
      this.add(line, "error", `This cannot be read as YAML: line ${line + 1}, column ${column + 1}: ${error}.`, { right });
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
      const type = this.byKind.get(`${apiVersion} ${kind}`);
      if (!type) return this.unknownKind(entry("apiVersion")?.line ?? node.line, apiVersion, kind);
      this.type = type;
      const { old } = type.limits ?? {};
      if (old) this.add(entry("apiVersion")?.line ?? node.line, "warning", `${apiVersion} ${kind} is ${old}.`, { path: type.path });
      this.fields(node, type, "", type.path, "");
    }

    unknownKind(line, apiVersion, kind) {
      const others = [...this.byKind].filter(([, type]) => type.name.text === kind).map(([name]) => name.split(" ")[0]);
      const removed = this.pool.aliases.find(({ note, phrases: [phrase] }) =>
        /was removed in/.test(note) && [kind, `${apiVersion} ${kind}`].some((name) => joined(name) === phrase.joined));
      const older = pools.get("").types.find(({ name, api }) => name.text === kind && api.text.replace(/^core\//, "") === apiVersion);
      const where = older ? `${apiVersion} ${kind} is in ${older.release}, not in ${this.release}` : `${this.release} has no ${apiVersion} ${kind}`;
      const group = groupOf(apiVersion);
      const groups = new Set(["extensions", ...[this.pool, pools.get("")].flatMap(({ apiVersions }) => apiVersions.map((api) => api.group))]);
      const isForeign = group.includes(".") && !group.endsWith(".k8s.io") && !nearest(group, groups);
      if (others.length && !isForeign) {
        const other = others.at(-1), { path } = this.byKind.get(`${other} ${kind}`);
        this.add(line, "error", `${where}.`, { path, fix: { label: `Use ${other}`, from: apiVersion, to: other } });
      } else if (removed && !isForeign) this.add(line, "error", `${removed.note}.`, { right: `See ${removed.entry.name.text}.`, path: removed.entry.path });
      else if (groups.has(group) || older) {
        const similar = nearest(kind, new Set([...this.byKind.values()].map(({ name }) => name.text)));
        this.add(line, "error", `${where}.`, { right: similar && `Is ${similar} meant?` });
      } else {
        this.checked--;
        this.skip(line, where);
      }
    }

    /**
     * The fields of an object of a type. "page" is that on which they are, "place" the path on it
     * to the object: what has no page is on that of the kind.
     */
    fields(node, type, prefix, page, place) {
      if (type.path) [page, place] = [type.path, ""];
      const names = new Set(node.entries.map(({ key }) => key));
      for (const { key, line, value } of node.entries) {
        const path = `${prefix}${key}`;
        const field = type.fields.find(({ name }) => name.text === key);
        if (!field) {
          if (!type.fields.length) continue; // any field
          const unknown = reasonUnknown({ value: key });
          if (unknown) {
            this.skip(line, `the name of a field ${unknown}`);
            continue;
          }
          const similar = nearest(key, type.fields.map(({ name }) => name.text));
          const fix = similar && !names.has(similar) ? { label: `Use ${similar}`, from: key, to: similar } : undefined;
          this.add(line, "error", ` is no field of ${type.name.text || this.type.name.text}: it has no field ${key}.`, { name: key, right: similar && `Is ${similar} meant?`, path: page, fix });
          continue;
        }
        const own = place + key, changed = this.changed.get(`${page} ${own}`) ?? [];
        const link = `${page}#${encodeURIComponent(own)}`, { old } = knownAt(this.type, path, field).limits ?? {};
        if (old) {
          const [, other] = /use (\w+)/.exec(old) ?? [];
          const fix = other && !names.has(other) ? { label: `Use ${other}`, from: key, to: other } : undefined;
          this.add(line, "warning", ` is ${old}.`, { name: key, path: link, fix });
        }
        if (changed.length) this.add(line, "changed", `: ${changed.join(" · ")}.`, { name: path, path: link });
        this.value(value, field, field.label.match(/list of |map of /g) ?? [], { path, line, page, place: own, link, key });
      }
      for (const field of type.fields) {
        const name = field.name.text, facts = knownAt(this.type, prefix + name, field);
        const { need, only = [], default: standard } = facts.limits ?? {};
        if (!need || names.has(name) || (type.role === "kind" && /^(apiVersion|kind)$/.test(name))) continue;
        const sample = standard ?? only[0], first = node.entries[0];
        const isBlock = first && node.entries.every(({ line }, index) => !index || line > node.entries[index - 1].line);
        const fix = sample === undefined || !isBlock ? undefined : { label: `Add ${name}: ${sample}`, after: first.line, key: first.key, to: `${name}: ${sample}` };
        this.add(first?.line ?? node.line, "error", " is missing.", { name, right: wordsOf(facts), path: `${page}#${encodeURIComponent(place + name)}`, fix });
      }
    }

    /** A value that is a list or map of something ("containers"), or that itself. */
    value(node, field, [container, ...rest], at) {
      if (node.value === null) return;
      const unknown = reasonUnknown(node), { path, key } = at, facts = knownAt(this.type, path, field);
      // A text that is right as it stands is right, whatever it looks like.
      const refuse = (wrong, fix, right = wordsOf(facts)) =>
        unknown ? this.skip(node.line, `${path} ${unknown}`) : this.add(node.line, "error", wrong, { name: key, right, path: at.link, fix });
      const type = this.pool.types[field.reference];
      const label = field.label.replace(/^(list of |map of )+/, "");
      const isObject = type ? type.fields.length > 0 : label === "object";
      const expected = container === "list of " ? "sequence" : container || isObject ? "mapping" : "scalar";
      if (!container && (type ? !isObject : /^(object|any value)$/.test(label))) return; // Quantity, JSON, and the like
      if (node.kind !== expected) return refuse(` has to be ${NAMES[expected]}, and is ${NAMES[node.kind]}.`);
      if (container === "list of ") return node.items.forEach((item) => this.value(item, field, rest, at));
      if (container) return node.entries.forEach(({ key: inner, value }) => this.value(value, field, rest, { ...at, path: `${path}.${inner}` }));
      if (isObject && type) return this.fields(node, type, `${path}.`, at.page, `${at.place}.`);
      const { value } = node;
      if (!hasType(value, label)) {
        const isText = typeof value === "string", isNumber = isText && /^integer|^number/.test(label) && /^-?\d+$/.test(value);
        const shown = isText ? `the text ${JSON.stringify(value)}` : `${value}${label === "string" ? " without quotes" : ""}`;
        const from = isText ? [JSON.stringify(value), `'${value}'`] : String(value);
        const fix = isNumber ? { label: `Use ${value}`, from, to: value } : label === "string" ? { label: `Use "${value}"`, from, to: `"${value}"` } : undefined;
        return refuse(` has to be: ${label}. It is ${shown}.`, fix);
      }
      const { only = [], least = -Infinity, most = Infinity, long = Infinity, format } = facts.limits ?? {};
      if (value === "") return;
      if (only.length && !only.includes(String(value))) {
        const similar = nearest(String(value), only);
        return refuse(` has no value ${value}.`, similar && { label: `Use ${similar}`, from: String(value), to: similar }, `Allowed: ${only.join(", ")}.`);
      }
      if (typeof value === "string") {
        const [expression, longest] = this.pool.formats[format] ?? [];
        if (value.length > Math.min(long, longest || Infinity)) return refuse(" is too long.");
        if (expression && !new RegExp(`^(?:${expression})$`, "u").test(value)) return refuse(` cannot be ${value}.`);
      } else if (typeof value !== "boolean" && Number(value) < least) refuse(" is too small.");
      else if (typeof value !== "boolean" && Number(value) > most) refuse(" is too large.");
    }
  }

  // ------------------------------------------------------------------------------ showing

  const LEVELS = ["error", "warning", "not checked", "changed"];
  let fixes = []; // of all findings

  /** The lines of a text with a fix; those that another fix has changed stay as they are. */
  function mended(lines, { line, from, to, after, key }) {
    const changed = [...lines];
    if (after !== undefined) {
      const start = lines[after].indexOf(key);
      // Behind the first key of the object, where this has a value on its line.
      const isOneLine = /:\s+[^|>\s]/.test(lines[after].slice(start));
      if (start < 0) return lines;
      if (isOneLine) changed[after] = `${lines[after]}\n${" ".repeat(start)}${to}`;
      else changed[after] = `${lines[after].slice(0, start)}${to}\n${" ".repeat(start)}${lines[after].slice(start)}`;
      return changed;
    }
    const written = [from].flat().find((text) => lines[line].includes(text));
    if (written !== undefined) changed[line] = lines[line].replace(written, () => to);
    return changed;
  }

  function take(chosen) {
    const eol = text.value.includes("\r\n") ? "\r\n" : "\n";
    // Lines that are added are part of the line before them until all fixes are taken.
    text.value = chosen.reduce(mended, text.value.split(/\r?\n/)).join("\n").replaceAll("\n", eol);
    check();
  }

  function createFinding({ level, wrong, right, path, fix, line, name }) {
    const link = path ? element("a", {
      href: address(`${root}${releaseInput.value}/${path}`),
      textContent: "Page", ariaLabel: `Page of ${path.replace("/#", ".").replace(/\/$/, "")}`,
    }) : undefined;
    const button = fix ? element("button", { type: "button", className: "plain", textContent: fix.label }) : undefined;
    button?.addEventListener("click", () => take([{ line, ...fix }]));
    const parts = [right, button, link].filter(Boolean).flatMap((part) => [part, " "]);
    return element("div", { className: `find is-${level.split(" ")[0]}` },
      element("p", {}, ...(level === "error" ? [] : [`${level}: `]), ...(name ? [element("b", {}, name)] : []), wrong),
      ...(parts.length ? [element("p", {}, ...parts)] : []));
  }

  function showFindings(lines, findings) {
    const severest = findings.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
    const byLine = Map.groupBy(severest.slice(0, MAX_FINDINGS), ({ line }) => line);
    results.replaceChildren(...lines.map((line, index) => {
      const found = byLine.get(index) ?? [];
      return element("li", { id: `line-${index + 1}`, className: found.length ? `is-${found[0].level.split(" ")[0]}` : "" },
        element("code", {}, line || " "), ...found.map(createFinding));
    }));
    fixes = findings.filter(({ fix }) => fix).map(({ line, fix }) => ({ line, ...fix }));
    takeAll.hidden = fixes.length < 2;
    takeAll.textContent = `Take all ${fixes.length} fixes`;
    const wrong = [...new Set(findings.filter(({ level }) => level === "error").map(({ line }) => line))].sort((a, b) => a - b);
    links.replaceChildren(...wrong.slice(0, MAX_LINKS).flatMap((line) => [element("a", { href: `#line-${line + 1}` }, `line ${line + 1}`), " "]));
  }

  /** How much was checked comes first: what was not has no errors either. */
  function headline({ findings, total, checked, unread }) {
    const count = (level) => findings.filter((finding) => finding.level === level).length;
    const words = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const counts = `${words(count("error"), "error")}, ${words(count("warning"), "warning")}, ${words(count("changed"), "change")}.`;
    const shown = findings.length > MAX_FINDINGS ? ` The ${MAX_FINDINGS} most severe are shown.` : "";
    if (!total) return "There is no object in this text.";
    if (!checked) return unread ? `Nothing was checked: this cannot be read as YAML.${shown}` : `Nothing was checked${count("error") ? `: ${words(count("error"), "error")}` : ""}.${shown}`;
    return `${checked < total ? `Only ${checked} of ${words(total, "object")}` : words(total, "object")} checked: ${counts}${shown}`;
  }

  function check() {
    const release = releaseInput.value;
    for (const shown of [results, links]) shown.replaceChildren();
    takeAll.hidden = true;
    if (!text.value.trim()) return (summary.textContent = "");
    if (isEncryptedFile(text.value)) return (summary.textContent = "Nothing was checked: the text is encrypted.");
    if (text.value.length > MAX_TEXT) return (summary.textContent = "Nothing was checked: this is more than a million characters.");
    for (const name of ["search", "search-texts"]) load(`${release}/${name}.js`);
    load("assets/other-releases.js");
    const between = steps();
    for (const step of between) load(`compare/${encodeURIComponent(step)}.js`);
    const isLoaded = pools.get(release)?.isComplete && pools.has("") && between.every((step) => changes.has(step));
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
  addEventListener("search-data", schedule);
  takeAll.addEventListener("click", () => take(fixes));
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

"use strict";
// The page that compares two releases. What each release changed is a script, which is
// loaded when it is needed; the changes between two releases are those of all releases
// after the first, up to the second. Which types a type consists of is a script of its own.
(() => {
  const { root } = document.documentElement.dataset;
  const { address, addressedPath, breakable, element, loadScript } = globalThis.kubestencil;
  const [fromInput, toInput, filterInput, summary, results] = [
    "compare-from", "compare-to", "compare-filter", "compare-summary", "compare-results",
  ].map((id) => document.getElementById(id));
  const releases = [...fromInput.options].map((option) => option.value);
  const loaded = new Map(); // the changes of each release
  let references = null; // the types that each type refers to, with the field that does

  /** Called by the script of a release. */
  globalThis.kubestencilChanges = (changes) => {
    loaded.set(changes.release, changes);
    show();
  };

  /** Called by the script of references. */
  globalThis.kubestencilReferences = (data) => {
    references = data;
    show();
  };

  function load(release) {
    loadScript(`compare/${encodeURIComponent(release)}.js`, () => {
      summary.textContent = `The changes of ${release} cannot be loaded.`;
    });
  }

  // ------------------------------------------------------------------- what to compare

  /** The two releases, the older one first, and those whose changes lead there. */
  function range() {
    const ends = [fromInput, toInput].map((input) => releases.indexOf(input.value));
    const [first, last] = ends.sort((one, other) => one - other);
    return { from: releases[first], to: releases[last], steps: releases.slice(first + 1, last + 1) };
  }

  /** Add the changes of all steps, by type: what happened to it, and in which release. */
  function changesByType(steps) {
    const types = new Map();
    const add = (path, change) => {
      if (!types.has(path)) types.set(path, []);
      types.get(path).push(change);
    };
    for (const step of steps) {
      const { release, added, removed, changed } = loaded.get(step);
      for (const path of added) add(path, { release, label: "added", mark: "added" });
      for (const path of removed) add(path, { release, label: "removed", mark: "removed" });
      for (const [path, items] of Object.entries(changed)) {
        for (const [field, severity, label, segments, isInner] of items) {
          add(path, { release, field, severity, label, segments, isInner });
        }
      }
    }
    return types;
  }

  /** The types with a name: Pod, apps/v1/Deployment. */
  function typesNamed(name) {
    const lower = name.toLowerCase();
    return Object.keys(references).filter((path) =>
      [path, path.split("/")[2]].some((known) => known.toLowerCase() === lower));
  }

  /** A type and all types inside of it, each with the shortest path to it. */
  function pathsInside(type) {
    const paths = new Map([[type, ""]]);
    for (let level = [...paths]; level.length; ) {
      const next = new Map();
      for (const [referrer, prefix] of level) {
        for (const [name, field] of Object.entries(references[referrer] ?? {})) {
          const path = `${prefix}${field}`;
          if (!paths.has(name) && !(next.get(name) <= path)) next.set(name, path);
        }
      }
      for (const [name, path] of next) paths.set(name, path);
      level = [...next].map(([name, path]) => [name, `${path}.`]);
    }
    return paths;
  }

  /**
   * What the pages of some types show: the changes of a type, and those inside of it by their
   * path, which begins with "start".
   */
  function changesInside(types, roots, start) {
    const kept = new Map();
    for (const root of roots) {
      const changes = [];
      for (const [type, prefix] of pathsInside(root)) {
        for (const change of types.get(type) ?? []) {
          if (!prefix) changes.push(change);
          else if (change.isInner) changes.push({ ...change, field: `${prefix}.${change.field}` });
        }
      }
      const inside = changes.filter(({ field }) => `${field ?? ""}.`.toLowerCase().startsWith(start));
      inside.sort((one, other) => (one.field ?? "").localeCompare(other.field ?? ""));
      if (inside.length) kept.set(root, inside);
    }
    return kept;
  }

  /**
   * What is asked for: a type, a path that begins with one, or else what has all words, where
   * a type that has them keeps all changes.
   */
  function filtered(types, text) {
    const [, name, path] = /^([^.]*|[^/]*\/[^/]*\/[^.]*)(?:\.(.*))?$/s.exec(text) ?? [];
    const roots = name ? typesNamed(name) : [];
    if (roots.length) return changesInside(types, roots, path ? `${path.toLowerCase()}.` : "");
    const words = text.toLowerCase().split(/[\s.]+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.toLowerCase().includes(word));
    const kept = new Map();
    for (const [path, changes] of types) {
      const keptChanges = matches(path)
        ? changes
        : changes.filter((change) => matches(`${path} ${change.field ?? ""}`));
      if (keptChanges.length) kept.set(path, keptChanges);
    }
    return kept;
  }

  // -------------------------------------------------------------------------- showing

  /** The link to the page of a type, in a release that has it. */
  function typeLink(path, release) {
    return element("a", { href: address(`${root}${release}/${path}/`) }, ...breakable(path.split("/")[2]));
  }

  /** The API versions that one of the releases has. */
  function versionsSection({ steps }, text) {
    const marks = new Map();
    for (const step of steps) {
      for (const mark of ["added", "removed"]) {
        for (const version of loaded.get(step).versions[mark]) {
          if (marks.has(version)) marks.delete(version);
          else marks.set(version, { mark, release: step });
        }
      }
    }
    const shown = [...marks].filter(([version]) => version.includes(text.toLowerCase())).sort();
    if (!shown.length) return [];
    const items = shown.map(([version, { mark, release }]) =>
      element("li", {}, element("code", {}, ...breakable(version)), ` ${mark}`, ...releaseNote(release, steps)));
    return [element("section", { className: "compared" }, element("h2", {}, "API versions"), element("ul", { className: "changes" }, ...items))];
  }

  const groupVersion = (path) => path.split("/").slice(0, 2).join("/");
  const releaseNote = (release, steps) => (steps.length > 1 ? [" ", element("span", { className: "soft" }, release)] : []);

  /** The section of the types that were added, or removed, by API version. */
  function namesSection(title, items, release, steps) {
    const section = element("section", { className: "compared" }, element("h2", {}, title));
    let [shownVersion, list] = ["", null];
    for (const { path, change } of items) {
      if (groupVersion(path) !== shownVersion) {
        shownVersion = groupVersion(path);
        list = element("ul", { className: "names" });
        section.append(element("h3", {}, ...breakable(shownVersion)), list);
      }
      list.append(element("li", {}, typeLink(path, release), ...releaseNote(change.release, steps)));
    }
    return section;
  }

  function changeItem({ release, field, severity, label, segments }, steps) {
    const text = element("span", {}, ...(field ? [element("code", {}, field), " "] : []), label, " ");
    for (const [role, part] of segments) {
      text.append(["del", "ins"].includes(role) ? element(role, {}, part) : part);
    }
    text.append(...releaseNote(release, steps));
    return element("li", {}, element("span", { className: `severity ${severity}` }, severity), text);
  }

  function changedSection(items, release, steps) {
    const section = element("section", { className: "compared" }, element("h2", {}, "Changed"));
    for (const { path, changes } of items) {
      section.append(
        element("h3", {}, typeLink(path, release), " ", element("span", { className: "soft" }, ...breakable(groupVersion(path)))),
        element("ul", { className: "changes" }, ...changes.map((change) => changeItem(change, steps))),
      );
    }
    return section;
  }

  // More would take long to lay out, and nobody reads them.
  const MAX_TYPES = 500;

  /** What is left of all changes: a type that was added and removed again is not there. */
  function sections({ from, to, steps }, types) {
    const [added, removed, changed] = [[], [], []];
    for (const path of [...types.keys()].sort()) {
      const marks = types.get(path).filter((change) => change.mark);
      const [first, last] = [marks[0]?.mark, marks.at(-1)];
      const changes = types.get(path).filter((change) => !change.mark);
      if (first === "added" && last.mark === "added") added.push({ path, change: last });
      else if (first === "removed" && last.mark === "removed") removed.push({ path, change: last });
      else if (!marks.length) changed.push({ path, changes });
    }
    const parts = [
      [added, (items) => namesSection("Added", items, to, steps)],
      [removed, (items) => namesSection("Removed", items, from, steps)],
      [changed, (items) => changedSection(items, to, steps)],
    ];
    const counts = ["added", "removed", "changed"].map((verb, index) => `${parts[index][0].length} ${verb}`);
    const count = changed.reduce((sum, { changes }) => sum + changes.length, 0);
    const isCut = parts.some(([items]) => items.length > MAX_TYPES);
    summary.textContent = `${from} to ${to}, types: ${counts.join(", ")} (${count} ${count === 1 ? "change" : "changes"}).` +
      (isCut ? ` The first ${MAX_TYPES} of each are shown.` : "");
    return parts.filter(([items]) => items.length).map(([items, make]) => make(items.slice(0, MAX_TYPES)));
  }

  function show() {
    const compared = range();
    compared.steps.forEach(load);
    if (!compared.steps.length) {
      summary.textContent = "Select two different releases.";
      results.replaceChildren();
    } else if (references && compared.steps.every((step) => loaded.has(step))) {
      const text = filterInput.value.trim();
      const types = filtered(changesByType(compared.steps), text);
      results.replaceChildren(...versionsSection(compared, text), ...sections(compared, types));
    } else {
      summary.textContent = "Loading…";
    }
  }

  // ---------------------------------------------------- the address: #1.33..1.35/Pod

  function storeAddress() {
    const { from, to } = range();
    const words = encodeURIComponent(filterInput.value.trim());
    history.replaceState(null, "", `#${from}..${to}${words && `/${words}`}`);
  }

  function readAddress() {
    const [, from, to, words] = /^(.+?)\.\.([^/]+)\/?([\s\S]*)$/.exec(addressedPath()) ?? [];
    if (!releases.includes(from) || !releases.includes(to)) return;
    fromInput.value = from;
    toInput.value = to;
    filterInput.value = words;
  }

  for (const input of [fromInput, toInput, filterInput]) {
    input.addEventListener("input", () => {
      storeAddress();
      show();
    });
  }
  document.getElementById("compare").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    readAddress();
    show();
  });
  loadScript("assets/type-references.js", () => {
    summary.textContent = "The types cannot be loaded.";
  });
  readAddress();
  show();
})();

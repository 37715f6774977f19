"use strict";
// The page that compares two releases. What each release changed is a script, which is
// loaded when it is needed; the changes between two releases are those of all releases
// after the first, up to the second.
(() => {
  const { root } = document.documentElement.dataset;
  const { address, breakable, loadScript } = globalThis.kubestencil;
  const [fromInput, toInput, filterInput, summary, results] = [
    "compare-from", "compare-to", "compare-filter", "compare-summary", "compare-results",
  ].map((id) => document.getElementById(id));
  const releases = [...fromInput.options].map((option) => option.value);
  const loaded = new Map(); // the changes of a release; null while they are loaded

  /** Called by the script of a release. */
  globalThis.kubestencilChanges = (changes) => {
    loaded.set(changes.release, changes);
    show();
  };

  function load(release) {
    if (loaded.has(release)) return;
    loaded.set(release, null);
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
        for (const [field, severity, label, segments] of items) {
          add(path, { release, field, severity, label, segments });
        }
      }
    }
    return types;
  }

  /** Leave out what does not match all words; a type that matches keeps all changes. */
  function filtered(types, words) {
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

  function element(name, className, ...children) {
    const created = document.createElement(name);
    if (className) created.className = className;
    created.append(...children);
    return created;
  }

  /** The link to the page of a type, in a release that has it. */
  function typeLink(path, release) {
    const link = element("a", "", ...breakable(path.split("/")[2]));
    link.href = address(`${root}${release}/${path}/`);
    return link;
  }

  const groupVersion = (path) => path.split("/").slice(0, 2).join("/");
  const releaseNote = (release, steps) => (steps.length > 1 ? [" ", element("span", "soft", release)] : []);

  /** The section of the types that were added, or removed, by API version. */
  function namesSection(title, items, release, steps) {
    const section = element("section", "compared", element("h2", "", title));
    let [shownVersion, list] = ["", null];
    for (const { path, change } of items) {
      if (groupVersion(path) !== shownVersion) {
        shownVersion = groupVersion(path);
        list = element("ul", "names");
        section.append(element("h3", "", ...breakable(shownVersion)), list);
      }
      list.append(element("li", "", typeLink(path, release), ...releaseNote(change.release, steps)));
    }
    return section;
  }

  function changeItem({ release, field, severity, label, segments }, steps) {
    const text = element("span", "", ...(field ? [element("code", "", field), " "] : []), label, " ");
    for (const [role, part] of segments) {
      text.append(["del", "ins"].includes(role) ? element(role, "", part) : part);
    }
    text.append(...releaseNote(release, steps));
    return element("li", "", element("span", `severity ${severity}`, severity), text);
  }

  function changedSection(items, release, steps) {
    const section = element("section", "compared", element("h2", "", "Changed"));
    for (const { path, changes } of items) {
      section.append(
        element("h3", "", typeLink(path, release), " ", element("span", "soft", ...breakable(groupVersion(path)))),
        element("ul", "changes", ...changes.map((change) => changeItem(change, steps))),
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
    const isCut = parts.some(([items]) => items.length > MAX_TYPES);
    summary.textContent = `${from} to ${to}: ${counts.join(", ")}.` +
      (isCut ? ` The first ${MAX_TYPES} of each are shown.` : "");
    return parts.filter(([items]) => items.length).map(([items, make]) => make(items.slice(0, MAX_TYPES)));
  }

  function show() {
    const compared = range();
    compared.steps.forEach(load);
    if (!compared.steps.length) {
      summary.textContent = "Select two different releases.";
      results.replaceChildren();
    } else if (compared.steps.every((step) => loaded.get(step))) {
      const words = filterInput.value.toLowerCase().split(/[\s.]+/).filter(Boolean);
      results.replaceChildren(...sections(compared, filtered(changesByType(compared.steps), words)));
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
    let text;
    try {
      text = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // not an address of this page
    }
    const [, from, to, words] = /^(.+?)\.\.([^/]+)\/?([\s\S]*)$/.exec(text) ?? [];
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
  readAddress();
  show();
})();

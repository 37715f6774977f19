"use strict";
// The filter of the tree of fields: by name, or by path ("containers.image"), and by what
// is known of them ("required"). "fields.js" loads it when it is first used.
(() => {
  const {
    addressedPath, announce, buttonOf, collapse, expand, listsOfTypes, nameOf, nestedListOf,
    labelled, openField, releases, revealField, trees, typeListOf,
  } = globalThis.kubestencil;
  const input = document.getElementById("field-filter");
  const countText = document.getElementById("field-count");

  // More than anybody reads.
  const MAX_MATCHES = 300;

  let expandedBefore = null; // the items that were expanded before the filter
  let matches = [];

  /** Whether a field is meant by a query, which is in lower case. */
  function isMatch(path, query) {
    const [text, part] = query.includes(".") ? [`.${path}`, `.${query}`] : [path, query];
    const lower = text.toLowerCase();
    const name = lower.slice(lower.lastIndexOf(".") + 1);
    if (part === query) return name.includes(query);
    // The query ends in the name of the field: "spec.containers" is not its image.
    const start = lower.lastIndexOf(part);
    return start >= 0 && !lower.slice(start + part.length).includes(".");
  }

  // What is known of a field, by the chips that filter.
  const startsWith = (word) => (item) =>
    [...item.querySelectorAll(":scope > dl:nth-child(2) dt")].some((name) => name.textContent.startsWith(word));
  const has = (selector) => (item) => item.firstElementChild.querySelector(selector) !== null;
  const LABELS = {
    required: (item) => has(":scope > b")(item) || startsWith("required")(item),
    immutable: startsWith("fixed once"),
    alpha: has(".alpha"),
    beta: has(".beta"),
    deprecated: startsWith("deprecated"),
  };

  /** Whether a field was added in a release, or in a newer one. */
  const isAddedSince = (release) => (item) => {
    const added = item.firstElementChild.querySelector(".added")?.textContent.split(" ").at(-1);
    return releases.indexOf(added) >= releases.indexOf(release);
  };

  /** Whether a field has what all chips that are pressed say. */
  function hasLabels(item) {
    const since = labelled.querySelector("select")?.value;
    return (
      [...labelled.querySelectorAll("[aria-pressed=true]")].every(({ value }) => LABELS[value](item)) &&
      (!since || isAddedSince(since)(item))
    );
  }

  /** The lists with a field whose name matches, at any depth; types may be in cycles. */
  function listsWithMatches(name) {
    const referrers = new Map();
    const queue = [];
    for (const list of [...trees, ...listsOfTypes().values()]) {
      for (const item of list.querySelectorAll("ul.tree > li")) {
        if (nameOf(item).textContent.toLowerCase().includes(name) && hasLabels(item)) queue.push(list);
        const type = typeListOf(item);
        if (type) referrers.set(type, [...(referrers.get(type) ?? []), list]);
      }
    }
    const lists = new Set();
    while (queue.length) {
      const list = queue.pop();
      if (lists.has(list)) continue;
      lists.add(list);
      queue.push(...(referrers.get(list) ?? []));
    }
    return lists;
  }

  /** Add the paths below "prefix" that match to "paths"; no type is inside of itself. */
  function collectPaths(list, prefix, query, candidates, ancestors, paths) {
    for (const item of list.children) {
      if (paths.length >= MAX_MATCHES) return;
      const path = prefix + nameOf(item).textContent;
      if (isMatch(path, query) && hasLabels(item)) paths.push(path);
      const inline = nestedListOf(item);
      const type = typeListOf(item);
      const inner = type && !inline ? type : inline;
      if (!inner || ancestors.has(inner) || (inner === type && !candidates.has(type))) continue;
      ancestors.add(inner);
      collectPaths(inner, `${path}.`, query, candidates, ancestors, paths);
      ancestors.delete(inner);
    }
  }

  function matchingPaths(query) {
    const candidates = listsWithMatches(query.split(".").at(-1));
    const paths = [];
    for (const tree of trees) collectPaths(tree, "", query, candidates, new Set(), paths);
    return paths;
  }

  const items = () => trees.flatMap((tree) => [...tree.querySelectorAll("li[id]")]);
  const isExpanded = (item) => buttonOf(item)?.getAttribute("aria-expanded") === "true";

  function clear() {
    if (!expandedBefore) return;
    for (const item of items()) {
      item.classList.remove("match", "kept");
      if (isExpanded(item) && !expandedBefore.has(item)) collapse(item);
      else if (!isExpanded(item) && expandedBefore.has(item)) expand(item, nestedListOf(item));
    }
    for (const tree of trees) tree.classList.remove("filtered");
    expandedBefore = null;
    matches = [];
    countText.textContent = "";
  }

  /** Show the fields that match, and those that they are in. */
  function apply(query) {
    clear();
    const isLabelled = labelled.querySelector("[aria-pressed=true]") || labelled.querySelector("select")?.value;
    if (!query && !isLabelled) return;
    expandedBefore = new Set(items().filter(isExpanded));
    const paths = matchingPaths(query);
    for (const path of paths) {
      for (const tree of trees) {
        const item = revealField(tree, path);
        if (item?.id !== path) continue;
        matches.push(item);
        item.classList.add("match");
        for (let outer = item.parentElement.closest("li"); outer; outer = outer.parentElement.closest("li")) {
          outer.classList.add("kept");
        }
      }
    }
    for (const item of matches) {
      if (isExpanded(item) && !item.classList.contains("kept")) collapse(item);
    }
    for (const tree of trees) tree.classList.add("filtered");
    const number = paths.length < MAX_MATCHES ? String(paths.length) : `The first ${MAX_MATCHES}`;
    countText.textContent = `${number} ${paths.length === 1 ? "field" : "fields"}`;
  }

  /** The query without spaces, and without the kind before a path: "pod.spec". */
  function query() {
    const text = input.value.toLowerCase().replace(/\s+/g, "").replace(/^\.+|(?<!\.)\.+$/g, "");
    const kind = `${input.dataset.kind.toLowerCase()}.`;
    return text.startsWith(kind) ? text.slice(kind.length) : text;
  }

  labelled.addEventListener("click", ({ target }) => {
    if (target.matches("button")) apply(query());
  });
  labelled.addEventListener("change", () => apply(query()));

  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => apply(query()), 80);
  });

  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value) {
      event.preventDefault();
      input.value = "";
      clear();
      announce("The filter is cleared.");
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      clearTimeout(timer);
      apply(query());
      const depth = (item) => item.id.split(".").length;
      const nearest = matches.reduce((one, other) => (depth(other) < depth(one) ? other : one), matches[0]);
      if (nearest) nameOf(nearest).focus();
    }
  });

  // What is linked to is shown, even where the filter hides it.
  addEventListener("hashchange", () => {
    const path = addressedPath();
    if (!expandedBefore || matches.some((item) => item.id === path)) return;
    input.value = "";
    for (const chip of labelled.querySelectorAll("button")) chip.ariaPressed = "false";
    for (const since of labelled.querySelectorAll("select")) since.value = "";
    clear();
    openField();
  });

  // What was typed while this script was loaded.
  apply(query());
})();

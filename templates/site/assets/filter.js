"use strict";
// The filter of the tree of fields: by name, or by path ("containers.image"), and by what
// is known of them ("required"). "fields.js" loads it when it is first used.
(() => {
  const {
    addAllLists, addressedPath, ancestorsOf, announce, buttonOf, collapse, expand, nameOf, nestedListOf, openField,
    releases, shownFields, sinceOf, trees,
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

  // What is known of a field, by the choices of the filter.
  const texts = (item, selector) => [...item.querySelectorAll(`:scope > ${selector}`)].map((element) => element.textContent);
  const hasStage = (...stages) => (item) => texts(item, "p:first-child > span > i").some((stage) => stages.includes(stage));
  const LABELS = {
    Required: (item) => texts(item, "p:first-child > span > b").length > 0,
    Fixed: (item) => texts(item, ":is(.s, .v, dl)").some((text) => /(?<!are )fixed once/i.test(text)),
    "Alpha or beta": hasStage("alpha", "beta"),
    Deprecated: hasStage("deprecated", "no effect"),
  };

  /** Whether a field is as was chosen; a release stands for what it added, or a newer one. */
  function isChosen(item) {
    const choice = shownFields.value;
    if (!choice) return true;
    return LABELS[choice]?.(item) ?? releases.indexOf(sinceOf(item)?.textContent) >= releases.indexOf(choice);
  }

  const items = () => trees.flatMap((tree) => [...tree.querySelectorAll("li[id]")]);
  const isExpanded = (item) => buttonOf(item)?.ariaExpanded === "true";

  function clear() {
    if (!expandedBefore) return;
    for (const item of items()) {
      item.classList.remove("match");
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
    if (!query && !shownFields.value) return;
    expandedBefore = new Set(items().filter(isExpanded));
    const isComplete = addAllLists();
    const found = items().filter((item) => isMatch(item.id, query) && isChosen(item));
    matches = found.slice(0, MAX_MATCHES);
    for (const item of matches) {
      item.classList.add("match");
      for (const outer of ancestorsOf(item)) expand(outer, nestedListOf(outer));
    }
    for (const item of matches) if (isExpanded(item) && !item.querySelector(".match")) collapse(item);
    for (const tree of trees) tree.classList.add("filtered");
    const number = isComplete && matches.length === found.length ? found.length : `The first ${matches.length}`;
    countText.textContent = `${number} ${found.length === 1 ? "field" : "fields"}`;
  }

  /** The query without spaces, and without the kind before a path: "pod.spec". */
  function query() {
    const text = input.value.toLowerCase().replace(/\s+/g, "").replace(/^\.+|(?<!\.)\.+$/g, "");
    const kind = `${input.dataset.kind.toLowerCase()}.`;
    return text.startsWith(kind) ? text.slice(kind.length) : text;
  }

  shownFields.addEventListener("change", () => apply(query()));

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
    shownFields.value = "";
    clear();
    openField();
  });

  // What was typed while this script was loaded.
  apply(query());
})();

"use strict";
// The tree of fields on the page of a type: expanding, selecting, and what the browser's own
// search needs. "filter.js" filters it.
(() => {
  const { address, addressedPath, announce, breakable, copy, element, loadScript, readSetting, storeSetting, updateLinks, TEXT_INPUTS } =
    globalThis.kubestencil;
  const { path: ownPath, release } = document.documentElement.dataset;

  // Where the code of the selected field comes, so that it moves nothing.
  const codePlace = element("div", { id: "field-code" });

  /** Load what writes the code of fields. */
  function loadCode() {
    const paths = ["assets/example.js", "assets/code.js", `${release}/field-examples.js`];
    for (const path of paths) loadScript(path, () => {
      announce("The code cannot be loaded.");
      codePlace.remove();
    });
  }

  // --------------------------------------------------------------- the tree of fields

  // No kind of Kubernetes has as many fields, but types of a cluster that refer to each
  // other in cycles can have any number.
  const MAX_EXPANDED = 20000;
  /** The link to the page of a type of the release: core/v1/Pod. */
  function pageOf(type) {
    return address(`../../../${type}/`);
  }

  const filterInput = document.getElementById("field-filter");
  const trees = [...document.querySelectorAll("main ul.tree:not(.tree .tree)")];
  const nestedTypes = document.getElementById("nested-types");
  // The HTML of what holds at places of this kind only, and of each type, by its link.
  const [placesText, ...texts] = (nestedTypes?.textContent ?? "").split(/(?=<ul class=tree id=")/);
  const typeTexts = new Map(texts.map((text) => [pageOf(/id="([^"]*)"/.exec(text)[1]), text]));
  const typeLists = new Map(); // what was read of it
  const listsWithButtons = new Set();

  // The first line of an item has the button, the name, and the type.
  const nameOf = (item) => item.firstElementChild.querySelector(":scope > a");
  const buttonOf = (item) => item.firstElementChild.querySelector(":scope > .fold");
  const nestedListOf = (item) => item.querySelector(":scope > ul.tree");

  /**
   * A part of the HTML of nested types. Browsers without scripts show it as lists with titles;
   * others do not read it until something is expanded, and then no more than they need.
   */
  function parse(text) {
    const part = new DOMParser().parseFromString(text, "text/html");
    // Without a script, the id of a list is its title, and fields link to it.
    for (const link of part.querySelectorAll(".tree a + a[href^='#']")) {
      link.setAttribute("href", pageOf(link.getAttribute("href").slice(1)));
    }
    updateLinks(part);
    return part;
  }

  /** The list of the fields of a type, by its link; undefined where it has none on the page. */
  function typeList(link) {
    if (!typeLists.has(link) && typeTexts.has(link)) {
      const list = parse(typeTexts.get(link)).querySelector("ul");
      list.removeAttribute("id");
      typeLists.set(link, list);
    }
    return typeLists.get(link);
  }

  const inKind = parse(placesText);
  const places = new Map([...inKind.querySelectorAll("#places > li")].map((place) => [place.dataset.place, place]));
  // The paths that cannot change, as most beside them.
  const fixed = new Set([...inKind.querySelectorAll("#fixed > code")].map(({ textContent }) => textContent));

  const typeLinkOf = (item) =>
    item.firstElementChild.querySelector(":scope > a + a")?.getAttribute("href");

  const typeListOf = (item) => typeList(typeLinkOf(item));

  /**
   * Add the buttons to the items of a list, once. Lists of types get them, too, so that
   * clones have them. Inline objects are expanded in the HTML and collapsed here,
   * except for the spec of a kind.
   */
  function addButtons(list) {
    if (listsWithButtons.has(list)) return;
    listsWithButtons.add(list);
    const blank = element("button", { type: "button", className: "fold", ariaExpanded: "false" });
    for (const item of list.children) {
      const nested = nestedListOf(item);
      if (!nested && !typeTexts.has(typeLinkOf(item))) continue;
      const button = blank.cloneNode(true);
      button.ariaLabel = `Fields of ${nameOf(item).textContent}`;
      item.firstElementChild.prepend(button);
      if (!nested) continue;
      if (nested.classList.contains("open")) expand(item, nested);
      else hide(nested);
      addButtons(nested);
    }
  }

  /** A new list of the fields of an item's type, with full paths; not yet in the page. */
  function createNestedList(item) {
    const ofType = typeListOf(item);
    if (!ofType) return null;
    addButtons(ofType);
    const list = document.importNode(ofType, true);
    const href = nameOf(item).getAttribute("href");
    for (const nestedItem of list.querySelectorAll("ul.tree > li")) {
      const name = nameOf(nestedItem);
      const path = nestedItem.dataset.path ?? name.textContent;
      nestedItem.id = `${item.id}.${path}`;
      name.setAttribute("href", `${href}.${encodeURIComponent(path)}`);
      if (places.has(nestedItem.id)) showPlace(nestedItem, places.get(nestedItem.id));
      if (fixed.has(nestedItem.id)) addDetail(nestedItem, "changes", `fixed once the ${filterInput.dataset.kind} exists`);
    }
    return list;
  }

  const FACTS = [":scope > p:first-child > span", ":scope > .s", ":scope > .v", ":scope > dl"];

  /** Show what holds at the place of an item instead of what holds wherever its type is. */
  function showPlace(item, place) {
    for (const selector of FACTS) item.querySelector(selector)?.remove();
    const [state, beside, ...rest] = FACTS.map((selector) => place.querySelector(selector)?.cloneNode(true) ?? "");
    item.firstElementChild.append(state);
    item.firstElementChild.after(beside);
    insertBelow(item, ...rest);
  }

  /** Add a detail to an item: it is shown where the item is selected. */
  function addDetail(item, name, value) {
    const list = item.querySelector(":scope > dl") ?? element("dl");
    list.prepend(element("dt", {}, name), element("dd", {}, value));
    if (!list.parentNode) insertBelow(item, list);
  }

  /** Insert below the description of an item, above the fields inside of it. */
  function insertBelow(item, ...elements) {
    const next = item.querySelector(":scope > :is(.rules, #field-code, ul.tree)");
    if (next) next.before(...elements);
    else item.append(...elements);
  }

  /** Hide a list from view, but not from the browser's own search, which expands it. */
  function hide(list) {
    list.hidden = "until-found";
  }

  function expand(item, list) {
    if (list.parentNode !== item) item.append(list);
    list.hidden = false;
    list.id = `inside:${item.id}`;
    item.classList.add("open");
    buttonOf(item).ariaExpanded = "true";
    buttonOf(item).setAttribute("aria-controls", list.id);
  }

  function collapse(item) {
    hide(nestedListOf(item));
    item.classList.remove("open");
    buttonOf(item).ariaExpanded = "false";
  }

  function toggle(button) {
    const item = button.closest("li");
    if (button.ariaExpanded === "true") collapse(item);
    else expand(item, nestedListOf(item) ?? createNestedList(item));
  }

  /**
   * Add the lists of all fields to the page, hidden, but of no type inside of itself: one
   * at a time. The value at the end is how many more fields there may be.
   */
  function* nestedLists() {
    let remaining = MAX_EXPANDED;
    function* inside(list, ancestors) {
      for (const item of list.children) {
        const type = typeListOf(item) ?? item;
        if (ancestors.has(type) || remaining <= 0) continue;
        let nested = nestedListOf(item);
        if (!nested) {
          nested = createNestedList(item);
          if (!nested) continue;
          hide(nested);
          item.append(nested);
        }
        remaining -= nested.children.length;
        yield item;
        yield* inside(nested, new Set([...ancestors, type]));
      }
    }
    for (const tree of trees) yield* inside(tree, new Set([typeList(pageOf(ownPath))])); // a field may have the page's own type
    return remaining;
  }

  /** Add them all, and call "use" with the item of each; whether these are all fields. */
  function addAllLists(use = () => {}) {
    const lists = nestedLists();
    let next = lists.next();
    for (; !next.done; next = lists.next()) use(next.value);
    return next.value > 0;
  }

  /**
   * The item of a field path, its ancestors expanded; null, and no change, without one.
   * Of a field whose type is shown on a page of its own only, the item with that link.
   */
  function revealField(list, path) {
    for (const item of list.children) {
      if (item.id === path) return item;
      if (!path.startsWith(`${item.id}.`)) continue;
      const nested = nestedListOf(item) ?? createNestedList(item);
      const match = nested ? revealField(nested, path) : typeLinkOf(item) && item;
      if (match) {
        if (nested) expand(item, nested);
        return match;
      }
    }
    return null;
  }

  /**
   * Scroll to an item and focus it, again for some frames: lists get their height as they are laid
   * out, and the browser takes the focus from a page that it opens at a fragment.
   */
  function scrollToItem(item, frames = 8) {
    nameOf(item).focus({ preventScroll: true });
    item.scrollIntoView();
    if (frames) requestAnimationFrame(() => scrollToItem(item, frames - 1));
  }

  /** The items that an item is in, from the inside. */
  function ancestorsOf(item) {
    const outer = item.parentElement.closest("li");
    return outer ? [outer, ...ancestorsOf(outer)] : [];
  }

  /** The first release that has a field, as its list says; undefined where it does not. */
  function sinceOf(item) {
    const term = [...item.querySelectorAll(":scope > dl > dt")].find(({ textContent }) => textContent === "since");
    return term?.nextElementSibling;
  }

  const minorOf = (value) => Number(/^1\.(\d+)$/.exec(value?.textContent ?? "")?.[1] ?? -1);

  /** A field is no older than those that it is in. */
  function showSince(item) {
    const own = sinceOf(item);
    const since = [item, ...ancestorsOf(item)].map(sinceOf).reduce((one, other) => (minorOf(other) > minorOf(one) ? other : one));
    if (since === own) return;
    if (own) own.textContent = since.textContent;
    else addDetail(item, "since", since.textContent);
  }

  const actions = element("p", { className: "acts" });
  for (const [text, valueOf] of [
    ["Copy path", (item) => item.id],
    ["Copy link", (item) => new URL(nameOf(item).getAttribute("href"), location.href).href],
  ]) {
    const button = element("button", { type: "button", className: "plain" }, text);
    button.addEventListener("click", () => {
      const item = actions.closest("li");
      copy(button, valueOf(item), nameOf(item));
    });
    actions.append(button);
  }

  /** Mark an item, show all of its text, and its code beside the fields. */
  function select(item) {
    for (const old of document.querySelectorAll("li.here")) old.classList.remove("here");
    item.classList.add("here");
    showSince(item);
    insertBelow(item, actions);
    loadCode();
    if (!globalThis.kubestencil.exampleOf) insertBelow(item, codePlace);
    dispatchEvent(new CustomEvent("field-selected", { detail: item }));
  }

  /** Show the fields, which are hidden while a link into them is opened. */
  const reveal = () => document.documentElement.classList.remove("deep");

  function openField() {
    const path = addressedPath(), notice = document.getElementById("missing-field");
    const item = path && trees.reduce((match, tree) => match ?? revealField(tree, path), null);
    notice.hidden = !path || Boolean(document.getElementById(path) ?? item);
    if (item) {
      select(item);
      if (buttonOf(item)) expand(item, nestedListOf(item) ?? createNestedList(item));
    }
    reveal();
    if (item) return scrollToItem(item);
    if (notice.hidden) return;
    // The change history may say of the field, or of one that it is in, when it came or went.
    const fieldOf = (change) => change.querySelector("a, code")?.textContent;
    const change = [...document.querySelectorAll("[data-changes] li[data-event]")].find((item) => `${path}.`.startsWith(`${fieldOf(item)}.`));
    notice.textContent = change
      ? `${fieldOf(change)} was ${change.dataset.event} in ${change.closest("[data-changes]").dataset.changes}. This is ${release}.`
      : `${release} does not have ${path} here.`;
    notice.scrollIntoView({ block: "center" });
  }

  /** Handle an arrow key on an expand button, as in a tree widget. */
  function moveInTree(button, key) {
    const item = button.closest("li");
    const isExpanded = button.ariaExpanded === "true";
    if (key === "ArrowRight" && isExpanded) nestedListOf(item).querySelector(".fold")?.focus();
    else if (key === "ArrowLeft" && !isExpanded) {
      const parent = item.parentElement.closest("li");
      if (parent) buttonOf(parent)?.focus();
    } else if (key === "ArrowRight" || key === "ArrowLeft") toggle(button);
    else {
      const visible = [...document.querySelectorAll("main ul.tree .fold")].filter(
        (other) => !other.closest("[hidden]"),
      );
      visible[visible.indexOf(button) + (key === "ArrowDown" ? 1 : -1)]?.focus();
    }
  }

  for (const tree of trees) addButtons(tree);
  for (const link of document.querySelectorAll(".changes a:not([href])")) {
    link.href = `#${encodeURIComponent(link.textContent)}`;
    link.replaceChildren(...breakable(link.textContent));
  }

  const openAll = document.getElementById("open-all");
  openAll?.addEventListener("click", () => {
    const isOpening = openAll.textContent === "Open all";
    openAll.textContent = isOpening ? "Close all" : "Open all";
    if (!isOpening) {
      for (const list of document.querySelectorAll("main ul.tree ul.tree:not([hidden])")) collapse(list.parentElement);
      announce("All fields are closed.");
      return;
    }
    const isComplete = addAllLists((item) => expand(item, nestedListOf(item)));
    announce(isComplete ? "All fields are open." : `The first ${MAX_EXPANDED} fields are open.`);
  });

  // --------------------------------------------------------- the browser's own search

  // What is not in the page cannot be found. Keys tell of the search, and phones have none:
  // there, the fields are added while the browser has nothing else to do, some at a time.
  addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "F3" || (key.toLowerCase() === "f" && (ctrlKey || metaKey))) addAllLists();
  });
  function addLists(lists, deadline) {
    // For some 10 ms each: a tap waits as long.
    while (deadline.timeRemaining() > 40) if (lists.next().done) return;
    requestIdleCallback((next) => addLists(lists, next));
  }
  if (matchMedia("(pointer: coarse)").matches) {
    globalThis.requestIdleCallback?.((deadline) => addLists(nestedLists(), deadline));
  }

  document.addEventListener("beforematch", ({ target }) => {
    if (target.matches("ul.tree")) expand(target.parentElement, target);
  });

  // ------------------------------------------------------------------------ the filter

  const shownFields = document.getElementById("field-show");

  const loadFilter = () => loadScript("assets/filter.js", () => announce("The filter cannot be loaded."));
  filterInput?.addEventListener("focus", loadFilter);
  shownFields?.addEventListener("change", loadFilter);

  // The releases, oldest first.
  const releases = [...document.querySelectorAll(".switch nav a")].map((link) => link.textContent).reverse();
  shownFields?.append(
    new Option("All fields", ""),
    ...["Required", "Fixed", "Alpha or beta", "Deprecated"].map((label) => new Option(label, label)),
    ...releases.slice(1).reverse().map((name) => new Option(`New since ${name}`, name)),
  );

  // ------------------------------------------------------------------ keyboard, links

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^Arrow/.test(key) && target.matches?.("ul.tree .fold")) {
      event.preventDefault();
      moveInTree(target, key);
    } else if (key === "f" && filterInput && !target.closest?.(TEXT_INPUTS)) {
      event.preventDefault();
      filterInput.select();
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("ul.tree .fold");
    if (button) toggle(button);
    const item = event.target.closest("main ul.tree li[id]");
    if (item && !button && !event.target.closest("a, button, summary, #field-code") && !String(getSelection())) select(item);
    // A link to the current fragment does not fire hashchange.
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) openField();
  });

  // "code.js" writes the example in Go from that in YAML.
  const firstExample = document.querySelector("#whole-example .example");
  if (firstExample) {
    const input = element("input", { type: "radio", name: "language", value: "go", id: "language-go" });
    firstExample.before(input, element("label", { htmlFor: input.id }, "Go"), element("div", { className: "example go" }));
    input.addEventListener("change", () => {
      storeSetting("language", "go");
      loadCode();
    });
    input.checked = readSetting("language") === "go";
    if (input.checked) addEventListener("load", loadCode);
  }

  Object.assign(globalThis.kubestencil, {
    addAllLists, ancestorsOf, buttonOf, collapse, expand, nameOf, nestedListOf, openField, releases,
    shownFields, sinceOf, trees, typeListOf,
  });

  addEventListener("hashchange", openField);
  openField();
})();

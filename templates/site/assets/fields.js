"use strict";
// The tree of fields on the page of a type: expanding, the path of what is on the screen,
// and what the browser's own search needs. "filter.js" filters it.
(() => {
  const { address, announce, breakable, copy, loadScript, readSetting, storeSetting, updateLinks, TEXT_INPUTS } =
    globalThis.kubestencil;

  const loaded = new Set();

  /** Load a script that the page may never need; "failure" is announced without it. */
  function loadOnce(name, failure) {
    if (!loaded.has(name)) loadScript(`assets/${name}.js`, () => announce(failure));
    loaded.add(name);
  }

  // --------------------------------------------------------------- the tree of fields

  // No kind of Kubernetes has as many fields, but types of a cluster that refer to each
  // other in cycles can have any number.
  const MAX_EXPANDED = 20000;
  /** The link to the page of a type of the release: core/v1/Pod. */
  function pageOf(type) {
    return address(`../../../${type}/`);
  }

  const trees = [...document.querySelectorAll("main ul.tree:not(.tree .tree)")];
  const nestedTypes = document.getElementById("nested-types");
  // Without reading the HTML of the types, which is long.
  const typeNames = (nestedTypes?.textContent ?? "").matchAll(/<ul class=tree id="([^"]*)"/g);
  const typeLinks = new Set([...typeNames].map(([, type]) => pageOf(type)));
  let fieldLists = null; // the fields of each type on the page, by its link
  const listsWithButtons = new Set();

  // The first line of an item has the button, the name, and the type.
  const nameOf = (item) => item.firstElementChild.querySelector(":scope > a");
  const buttonOf = (item) => item.firstElementChild.querySelector(":scope > .fold");
  const nestedListOf = (item) => item.querySelector(":scope > ul.tree");

  /**
   * The lists of the types that can be expanded. Browsers without scripts show them as
   * lists with titles; others do not read this part of the page until something is expanded.
   */
  function listsOfTypes() {
    if (fieldLists) return fieldLists;
    const parsed = new DOMParser().parseFromString(nestedTypes?.textContent ?? "", "text/html");
    // Without a script, the id of a list is its title, and fields link to it.
    for (const link of parsed.querySelectorAll(".tree a + a[href^='#']")) {
      link.setAttribute("href", pageOf(link.getAttribute("href").slice(1)));
    }
    updateLinks(parsed);
    const lists = [...parsed.querySelectorAll("ul[id]")];
    fieldLists = new Map(lists.map((list) => [pageOf(list.id), list]));
    for (const list of lists) list.removeAttribute("id");
    return fieldLists;
  }

  const typeLinkOf = (item) =>
    item.firstElementChild.querySelector(":scope > a + a")?.getAttribute("href");

  /** The list of the fields of an item's type; undefined where it has no fields. */
  function typeListOf(item) {
    const link = typeLinkOf(item);
    return typeLinks.has(link) ? listsOfTypes().get(link) : undefined;
  }

  /**
   * Add the buttons to the items of a list, once. Lists of types get them, too, so that
   * clones have them. Inline objects are expanded in the HTML and collapsed here,
   * except for the spec of a kind.
   */
  function addButtons(list) {
    if (listsWithButtons.has(list)) return;
    listsWithButtons.add(list);
    const blank = document.createElement("button");
    Object.assign(blank, { type: "button", className: "fold", ariaExpanded: "false" });
    for (const item of list.children) {
      const nested = nestedListOf(item);
      if (!nested && !typeLinks.has(typeLinkOf(item))) continue;
      const button = blank.cloneNode(true);
      button.setAttribute("aria-label", `Expand ${nameOf(item).textContent}`);
      item.firstElementChild.prepend(button);
      if (!nested) continue;
      if (nested.classList.contains("open")) expand(item, nested);
      else hide(nested);
      addButtons(nested);
    }
  }

  /** A new list of the fields of an item's type, with full paths; not yet in the page. */
  function createNestedList(item) {
    const typeList = typeListOf(item);
    if (!typeList) return null;
    addButtons(typeList);
    const list = document.importNode(typeList, true);
    const href = nameOf(item).getAttribute("href");
    for (const nestedItem of list.querySelectorAll("ul.tree > li")) {
      const name = nameOf(nestedItem);
      const path = nestedItem.dataset.path ?? name.textContent;
      nestedItem.id = `${item.id}.${path}`;
      name.setAttribute("href", `${href}.${encodeURIComponent(path)}`);
    }
    return list;
  }

  /** Hide a list from view, but not from the browser's own search, which expands it. */
  function hide(list) {
    list.hidden = "until-found";
  }

  function expand(item, list) {
    if (list.parentNode !== item) item.append(list);
    list.hidden = false;
    list.id = `inside:${item.id}`;
    labelButton(item, true);
    buttonOf(item).setAttribute("aria-controls", list.id);
  }

  function collapse(item) {
    hide(nestedListOf(item));
    labelButton(item, false);
  }

  function labelButton(item, isExpanded) {
    const button = buttonOf(item);
    button.setAttribute("aria-expanded", String(isExpanded));
    const verb = isExpanded ? "Collapse" : "Expand";
    button.setAttribute("aria-label", `${verb} ${nameOf(item).textContent}`);
  }

  function toggle(button) {
    const item = button.closest("li");
    if (button.getAttribute("aria-expanded") === "true") collapse(item);
    else expand(item, nestedListOf(item) ?? createNestedList(item));
  }

  /** The list of the page's own type, where a field in it has that type again. */
  function ownTypeList() {
    const path = (url) => new URL(url, location.href).pathname.replace(/index\.html$/, "");
    const ownPath = path(location.href);
    for (const [href, list] of listsOfTypes()) if (path(href) === ownPath) return list;
    return undefined;
  }

  /**
   * Add the lists of everything in a list, but of no type inside of itself, and call
   * "visit" for each. A branch is completed before it is added to the page. Returns how
   * many more fields may be added.
   */
  function addLists(list, ancestors, budget, visit) {
    let remaining = budget;
    for (const item of list.children) {
      const type = typeListOf(item) ?? item;
      if (ancestors.has(type)) continue;
      if (remaining <= 0) return remaining;
      const nested = nestedListOf(item) ?? createNestedList(item);
      if (!nested) continue;
      ancestors.add(type);
      remaining = addLists(nested, ancestors, remaining - nested.children.length, visit);
      ancestors.delete(type);
      visit(item, nested);
    }
    return remaining;
  }

  /** Add the lists of all fields to the page, and call "visit" for each. */
  function addAllLists(visit) {
    const ancestors = new Set([ownTypeList()]);
    let remaining = MAX_EXPANDED;
    for (const tree of trees) remaining = addLists(tree, ancestors, remaining, visit);
    return remaining;
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

  /** Scroll to an item, again for some frames: lists get their height as they are laid out. */
  function scrollToItem(item, frames = 8) {
    item.scrollIntoView();
    if (frames) requestAnimationFrame(() => scrollToItem(item, frames - 1));
  }

  /** The path that the address names, empty where that is no link of this site. */
  function addressedPath() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  }

  /** Mark an item, and show its code beside the fields. */
  function select(item) {
    for (const old of document.querySelectorAll("li.here")) old.classList.remove("here");
    item.classList.add("here");
    loadOnce("code", "The code cannot be loaded.");
    dispatchEvent(new CustomEvent("field-selected", { detail: item }));
  }

  function openField() {
    const path = addressedPath();
    for (const tree of path ? trees : []) {
      const item = revealField(tree, path);
      if (!item) continue;
      select(item);
      if (buttonOf(item)) expand(item, nestedListOf(item) ?? createNestedList(item));
      nameOf(item).focus({ preventScroll: true });
      scrollToItem(item);
      return;
    }
    if (!path || document.getElementById(path)) return;
    loadOnce("missing-field", "The page does not have this field.");
  }

  /** Handle an arrow key on an expand button, as in a tree widget. */
  function moveInTree(button, key) {
    const item = button.closest("li");
    const isExpanded = button.getAttribute("aria-expanded") === "true";
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

  document.getElementById("unfold-all")?.addEventListener("click", () => {
    const remaining = addAllLists(expand);
    announce(
      remaining > 0 ? "All fields are expanded." : `Expanded up to the limit of ${MAX_EXPANDED} fields.`,
    );
  });

  document.getElementById("fold-all")?.addEventListener("click", () => {
    for (const tree of trees) {
      for (const list of tree.querySelectorAll("ul.tree:not([hidden])")) {
        collapse(list.parentElement);
      }
    }
    announce("All fields are collapsed.");
  });

  // --------------------------------------------------------- the browser's own search

  // What is not in the page cannot be found. Keys tell of the search, and phones have none:
  // there, the fields are added while the browser has nothing else to do.
  function addHiddenLists() {
    addAllLists((item, list) => {
      if (list.parentNode === item) return;
      hide(list);
      item.append(list);
    });
  }
  addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "F3" || (key.toLowerCase() === "f" && (ctrlKey || metaKey))) addHiddenLists();
  });
  if (matchMedia("(pointer: coarse)").matches) globalThis.requestIdleCallback?.(addHiddenLists);

  document.addEventListener("beforematch", ({ target }) => {
    if (target.matches("ul.tree")) expand(target.parentElement, target);
  });

  // ------------------------------------------------ the path of what is on the screen

  const pathLine = document.getElementById("path-line");
  const pathText = document.getElementById("path-text");
  let shownPath = "";

  /** The item below the line; null above the fields, where the line is not sticky. */
  function itemOnScreen() {
    const { top, bottom, right } = pathLine.getBoundingClientRect();
    if (top > parseFloat(getComputedStyle(pathLine).top) + 1) return null;
    const element = document.elementFromPoint(right - 4, bottom + 12);
    return element?.closest("main ul.tree li[id]") ?? null;
  }

  /** Show a path, each name of which is a link to its field. */
  function showPath(path) {
    shownPath = path;
    const ids = path.split(".").map((_, index, names) => names.slice(0, index + 1).join("."));
    const links = ids.flatMap((id) => {
      const item = document.getElementById(id);
      if (!item?.matches("li")) return []; // the name of a field can have a dot
      const link = document.createElement("a");
      link.href = nameOf(item).getAttribute("href");
      link.textContent = nameOf(item).textContent;
      return ["\u200b.", link];
    });
    pathText.replaceChildren(pathText.dataset.kind, ...links);
    if (path) pathText.scrollLeft = pathText.scrollWidth;
    for (const button of pathLine.querySelectorAll("button")) button.disabled = !path;
  }

  function updatePath() {
    const path = itemOnScreen()?.id ?? "";
    if (path !== shownPath) showPath(path);
  }

  if (pathLine) {
    let isScheduled = false;
    const schedule = () => {
      if (isScheduled) return;
      isScheduled = true;
      requestAnimationFrame(() => {
        isScheduled = false;
        updatePath();
      });
    };
    addEventListener("scroll", schedule, { passive: true });
    addEventListener("resize", schedule);
    showPath("");
    document.getElementById("copy-path").addEventListener("click", ({ currentTarget }) => {
      copy(currentTarget, shownPath, pathText);
    });
    document.getElementById("copy-link").addEventListener("click", ({ currentTarget }) => {
      const item = document.getElementById(shownPath);
      copy(currentTarget, new URL(nameOf(item).getAttribute("href"), location.href).href, pathText);
    });
  }

  // Mark in "On this page" what is on the screen.
  const contents = [...document.querySelectorAll(".contents a")];
  const isInView = new Map();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isInView.set(target, isIntersecting);
    const first = contents.find(({ hash }) => isInView.get(document.querySelector(`main ${hash}`).closest("section")));
    for (const link of contents) link.ariaCurrent = link === first ? "location" : null;
  }, { rootMargin: "-20% 0px -60%" });
  for (const { hash } of contents) observer.observe(document.querySelector(`main ${hash}`).closest("section"));

  // ------------------------------------------------------------------------ the filter

  const filterInput = document.getElementById("field-filter");

  const loadFilter = () => loadOnce("filter", "The filter cannot be loaded.");
  filterInput?.addEventListener("focus", loadFilter);

  // The chips, and the releases, oldest first.
  const labelled = document.getElementById("field-chips");
  const releases = [...document.querySelectorAll(".switch nav a")].map((link) => link.textContent).reverse();

  if (labelled) {
    for (const label of ["required", "immutable", "alpha", "beta", "deprecated"]) {
      const chip = document.createElement("button");
      Object.assign(chip, { type: "button", value: label, textContent: label, ariaPressed: "false" });
      labelled.append(chip);
    }
    if (releases.length > 1) {
      const since = document.createElement("select");
      since.ariaLabel = "Added in a release, or later";
      since.append(new Option("new since …", ""), ...releases.slice(1).map((name) => new Option(`new since ${name}`, name)));
      labelled.append(since);
    }
    labelled.addEventListener("click", ({ target }) => {
      if (target.matches("button")) target.ariaPressed = String(target.ariaPressed !== "true");
      loadFilter();
    });
  }

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
    if (item && !button && !event.target.closest("a, #field-code") && !String(getSelection())) {
      item.classList.toggle("read");
      select(item);
    }
    // A link to the current fragment does not fire hashchange.
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) openField();
  });

  // "code.js" writes the example in Go from that in YAML.
  const firstExample = document.querySelector("#whole-example .example");
  if (firstExample) {
    const input = Object.assign(document.createElement("input"), { type: "radio", name: "language", value: "go", id: "language-go" });
    const label = Object.assign(document.createElement("label"), { htmlFor: input.id, textContent: "Go" });
    firstExample.before(input, label, Object.assign(document.createElement("div"), { className: "example go" }));
    const load = () => loadOnce("code", "The code cannot be loaded.");
    input.addEventListener("change", () => {
      storeSetting("language", "go");
      load();
    });
    input.checked = readSetting("language") === "go";
    if (input.checked) addEventListener("load", load);
  }

  Object.assign(globalThis.kubestencil, {
    addressedPath, buttonOf, collapse, expand, listsOfTypes, nameOf, nestedListOf, openField, revealField,
    labelled, releases, trees, typeListOf,
  });

  addEventListener("hashchange", () => openField());
  openField();
  // While a page loads, the browser moves the focus to the fragment itself.
  addEventListener("load", () => requestAnimationFrame(() => openField()));
})();

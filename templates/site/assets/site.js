"use strict";
// The interactive parts of a page: the tree of fields, copying, languages, colour scheme,
// links to other releases, and loading the search (find.js) when it is first used.
(() => {
  const page = document.documentElement;
  const statusLine = document.getElementById("said");

  /** Announce a text to screen readers. */
  function announce(text) {
    statusLine.textContent = text;
  }

  /** A stored setting, or null; browsers may deny access, above all to local files. */
  function readSetting(key) {
    try {
      return localStorage.getItem(`kubestencil.${key}`);
    } catch {
      return null;
    }
  }

  function storeSetting(key, value) {
    try {
      if (value) localStorage.setItem(`kubestencil.${key}`, value);
      else localStorage.removeItem(`kubestencil.${key}`);
    } catch {
      // The setting applies to this page only.
    }
  }

  // --------------------------------------------------------------- the tree of fields

  // No kind of Kubernetes has as many fields, but types of a cluster that refer to each
  // other in cycles can have any number.
  const MAX_EXPANDED = 20000;
  const trees = [...document.querySelectorAll("main ul.tree")];
  const fieldLists = new Map(); // the fields of each type on the page, by its link
  for (const template of document.querySelectorAll("template[data-type]")) {
    fieldLists.set(template.dataset.type, template.content.querySelector("ul.tree"));
  }
  const listsWithButtons = new Set();

  const nameOf = (item) => item.querySelector(":scope > .line > a.name");
  const buttonOf = (item) => item.querySelector(":scope > .line > .fold");
  const nestedListOf = (item) => item.querySelector(":scope > ul.tree");

  /** The list in the template of an item's type; undefined where it has no fields. */
  function typeListOf(item) {
    const link = item.querySelector(":scope > .line > a.type");
    return link ? fieldLists.get(link.getAttribute("href")) : undefined;
  }

  /**
   * Add the buttons to the items of a list, once. Lists in templates get them, too, so
   * that clones have them. Inline objects are expanded in the HTML and collapsed here,
   * except for the spec of a kind.
   */
  function addButtons(list) {
    if (listsWithButtons.has(list)) return;
    listsWithButtons.add(list);
    const template = document.getElementById("fold-button");
    const blank = template?.content.querySelector("button");
    if (!blank) return; // not a page of a type
    for (const item of list.children) {
      const nested = nestedListOf(item);
      if (!nested && !typeListOf(item)) continue;
      const button = blank.cloneNode(true);
      button.setAttribute("aria-label", `Expand ${nameOf(item).textContent}`);
      item.querySelector(":scope > .line").prepend(button);
      if (!nested) continue;
      if (nested.classList.contains("open")) expand(item, nested);
      else nested.hidden = true;
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
    for (const nestedItem of list.querySelectorAll("li[id]")) {
      const name = nameOf(nestedItem);
      nestedItem.id = `${item.id}.${nestedItem.id}`;
      name.setAttribute("href", `${href}.${name.getAttribute("href").slice(1)}`);
    }
    return list;
  }

  function expand(item, list) {
    if (list.parentNode !== item) item.append(list);
    list.hidden = false;
    list.id = `inside:${item.id}`;
    labelButton(item, true);
    buttonOf(item).setAttribute("aria-controls", list.id);
  }

  function collapse(item) {
    nestedListOf(item).hidden = true;
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
    for (const [href, list] of fieldLists) if (path(href) === ownPath) return list;
    return undefined;
  }

  /**
   * Expand everything in a list, but no type inside of itself. A branch is completed
   * before it is added to the page. Returns how many more fields may be shown.
   */
  function expandAll(list, ancestors, budget) {
    let remaining = budget;
    for (const item of list.children) {
      const type = typeListOf(item) ?? item;
      if (ancestors.has(type)) continue;
      if (remaining <= 0) return remaining;
      const nested = nestedListOf(item) ?? createNestedList(item);
      if (!nested) continue;
      ancestors.add(type);
      remaining = expandAll(nested, ancestors, remaining - nested.children.length);
      ancestors.delete(type);
      expand(item, nested);
    }
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
      const link = item.querySelector(":scope > .line > a.type");
      const match = nested ? revealField(nested, path) : link && item;
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

  function openField(hash) {
    let path;
    try {
      path = decodeURIComponent(hash.slice(1));
    } catch {
      return; // not a link of this site
    }
    for (const tree of path ? trees : []) {
      const item = revealField(tree, path);
      if (!item) continue;
      for (const old of document.querySelectorAll("li.here")) old.classList.remove("here");
      item.classList.add("here");
      if (buttonOf(item)) expand(item, nestedListOf(item) ?? createNestedList(item));
      nameOf(item).focus({ preventScroll: true });
      scrollToItem(item);
      return;
    }
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

  document.getElementById("unfold-all")?.addEventListener("click", () => {
    const ancestors = new Set([ownTypeList()]);
    let remaining = MAX_EXPANDED;
    for (const tree of trees) remaining = expandAll(tree, ancestors, remaining);
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

  // ------------------------------------------------------------------------ copying

  /** Select the code and copy the selection, where there is no clipboard API. */
  function copySelection(code) {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }

  async function copyExample(button) {
    const code = button.closest(".example").querySelector("code");
    let isCopied;
    try {
      await navigator.clipboard.writeText(code.textContent);
      isCopied = true;
    } catch {
      isCopied = copySelection(code);
    }
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
    announce(isCopied ? "Copied." : "Selected: press Control and C to copy.");
    clearTimeout(Number(button.dataset.timer));
    button.dataset.timer = String(setTimeout(() => (button.textContent = label), 2000));
  }

  // ---------------------------------------------- languages, colour scheme, releases

  const languageInputs = [
    ...document.querySelectorAll("input[type=radio][name^=language]"),
  ];

  function selectLanguage(language) {
    for (const input of languageInputs) if (input.value === language) input.checked = true;
  }

  for (const input of languageInputs) {
    input.addEventListener("change", () => {
      storeSetting("language", input.value);
      selectLanguage(input.value);
    });
  }
  selectLanguage(readSetting("language"));

  const SCHEMES = ["system", "light", "dark"];
  const schemeButton = document.getElementById("colour-scheme");

  function labelSchemeButton() {
    const label = `Colour scheme: ${page.dataset.scheme ?? "system"}`;
    schemeButton?.setAttribute("aria-label", label);
    schemeButton?.setAttribute("title", label);
    return label;
  }

  schemeButton?.addEventListener("click", () => {
    const index = SCHEMES.indexOf(page.dataset.scheme ?? "system");
    const next = SCHEMES[(index + 1) % SCHEMES.length];
    if (next === "system") delete page.dataset.scheme;
    else page.dataset.scheme = next;
    storeSetting("scheme", next === "system" ? "" : next);
    announce(labelSchemeButton());
  });
  labelSchemeButton();

  /** Let the links to other releases lead to the same field. */
  function updateReleaseLinks() {
    for (const link of document.querySelectorAll("a[data-switch]")) {
      link.setAttribute("href", link.getAttribute("href").split("#")[0] + location.hash);
    }
  }

  // --------------------------------------------------------------------- the search

  const dialog = document.getElementById("search-dialog");

  /** Load a script of the site; scripts run in the order of these calls. */
  function loadScript(path) {
    const script = document.createElement("script");
    script.src = page.dataset.root + path;
    script.async = false;
    script.addEventListener("error", () => dispatchEvent(new Event("search-failed")));
    document.head.append(script);
  }

  let isSearchLoading = false;
  function loadSearch() {
    if (isSearchLoading) return;
    isSearchLoading = true;
    loadScript("assets/minisearch.js");
    loadScript("assets/find.js");
    if (page.dataset.release) loadScript(`${page.dataset.release}/search.js`);
    loadScript("assets/other-releases.js");
  }

  function openSearch() {
    loadSearch();
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("input").select();
  }

  const searchButton = document.getElementById("find");
  if (dialog) {
    searchButton?.addEventListener("click", openSearch);
    searchButton?.addEventListener("pointerenter", loadSearch);
    searchButton?.addEventListener("focus", loadSearch);
    dialog.addEventListener("click", (event) => {
      const box = dialog.getBoundingClientRect();
      const isInside =
        event.clientX >= box.left && event.clientX <= box.right &&
        event.clientY >= box.top && event.clientY <= box.bottom;
      if (event.target === dialog && !isInside) dialog.close();
    });
  }

  // ---------------------------------------------------------- keyboard, clicks, links

  const TEXT_INPUTS = "input:not([type=radio], [type=checkbox]), textarea, select";

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    const isSearchShortcut =
      (key === "/" && !hasModifier && !target.closest?.(TEXT_INPUTS)) ||
      (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey);
    if (isSearchShortcut && dialog) {
      event.preventDefault();
      openSearch();
    } else if (!hasModifier && /^Arrow/.test(key) && target.matches?.("ul.tree .fold")) {
      event.preventDefault();
      moveInTree(target, key);
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches("ul.tree .fold")) toggle(button);
    else if (button?.matches(".copy")) copyExample(button);
    // A link to the current fragment does not fire hashchange.
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) openField(location.hash);
  });

  addEventListener("hashchange", () => {
    updateReleaseLinks();
    openField(location.hash);
  });
  updateReleaseLinks();
  openField(location.hash);
  // While a page loads, the browser moves the focus to the fragment itself.
  addEventListener("load", () => requestAnimationFrame(() => openField(location.hash)));
})();

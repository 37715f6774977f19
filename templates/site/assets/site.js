"use strict";
// What a page does beyond being read: the tree, copying, languages, colours, releases,
// and the door to the search, whose own script (find.js) comes when it is asked for.
(() => {
  const page = document.documentElement;
  const said = document.getElementById("said");

  /** Let a screen reader say it. */
  function say(text) {
    said.textContent = text;
  }

  /** A browser may refuse its storage, on a disk above all. */
  function recall(key) {
    try {
      return localStorage.getItem(`kubestencil.${key}`);
    } catch {
      return null;
    }
  }

  function remember(key, value) {
    try {
      if (value) localStorage.setItem(`kubestencil.${key}`, value);
      else localStorage.removeItem(`kubestencil.${key}`);
    } catch {
      // Then it is forgotten.
    }
  }

  // ------------------------------------------------------------------- the tree

  // More than any kind of Kubernetes has; types of a cluster that refer to each other
  // in circles could have any number.
  const MOST = 20000;
  const trees = [...document.querySelectorAll("main ul.tree")];
  const types = new Map();
  for (const each of document.querySelectorAll("template[data-type]")) {
    types.set(each.dataset.type, each.content.querySelector("ul.tree"));
  }
  const withButtons = new Set();

  const nameOf = (item) => item.querySelector(":scope > .line > a.name");
  const buttonOf = (item) => item.querySelector(":scope > .line > .fold");
  const insideOf = (item) => item.querySelector(":scope > ul.tree");

  /** The fields of an item's type, as its template has them. */
  function typeOf(item) {
    const link = item.querySelector(":scope > .line > a.type");
    return link ? types.get(link.getAttribute("href")) : undefined;
  }

  /**
   * Once a list, templates included: what is cloned from them has its buttons. Objects
   * without a name of their own stand unfolded in the page, and are folded here.
   */
  function addButtons(list) {
    if (withButtons.has(list)) return;
    withButtons.add(list);
    const blank = document.getElementById("fold-button")?.content.querySelector("button");
    if (!blank) return; // a page on which nothing can be unfolded
    for (const item of list.children) {
      const inside = insideOf(item);
      if (!inside && !typeOf(item)) continue;
      const button = blank.cloneNode(true);
      button.setAttribute("aria-label", `Unfold ${nameOf(item).textContent}`);
      item.querySelector(":scope > .line").prepend(button);
      if (!inside) continue;
      inside.hidden = true;
      addButtons(inside);
    }
  }

  /** The fields inside of an item, not yet in it, under their full paths. */
  function grow(item) {
    const type = typeOf(item);
    if (!type) return null;
    addButtons(type);
    const list = document.importNode(type, true);
    const href = nameOf(item).getAttribute("href");
    for (const each of list.querySelectorAll("li[id]")) {
      const name = nameOf(each);
      each.id = `${item.id}.${each.id}`;
      name.setAttribute("href", `${href}.${name.getAttribute("href").slice(1)}`);
    }
    return list;
  }

  function unfold(item, list) {
    if (list.parentNode !== item) item.append(list);
    list.hidden = false;
    list.id = `inside:${item.id}`;
    mark(item, true);
    buttonOf(item).setAttribute("aria-controls", list.id);
  }

  function fold(item) {
    insideOf(item).hidden = true;
    mark(item, false);
  }

  function mark(item, isOpen) {
    const button = buttonOf(item);
    button.setAttribute("aria-expanded", String(isOpen));
    const verb = isOpen ? "Fold" : "Unfold";
    button.setAttribute("aria-label", `${verb} ${nameOf(item).textContent}`);
  }

  function toggle(button) {
    const item = button.closest("li");
    if (button.getAttribute("aria-expanded") === "true") fold(item);
    else unfold(item, insideOf(item) ?? grow(item));
  }

  /** The page's own type, where it is part of itself. */
  function ownType() {
    const path = (url) => new URL(url, location.href).pathname.replace(/index\.html$/, "");
    const own = path(location.href);
    for (const [href, type] of types) if (path(href) === own) return type;
    return undefined;
  }

  /**
   * Unfold all that is in a list, but no type inside of itself; each branch is complete
   * before the page sees it. Returns how many more fields may be shown.
   */
  function unfoldAll(list, around, left) {
    for (const item of list.children) {
      const type = typeOf(item) ?? item;
      if (around.has(type)) continue;
      if (left <= 0) return left;
      const inside = insideOf(item) ?? grow(item);
      if (!inside) continue;
      around.add(type);
      left = unfoldAll(inside, around, left - inside.children.length);
      around.delete(type);
      unfold(item, inside);
    }
    return left;
  }

  /** The item at a path, with all around it unfolded; no change where there is none. */
  function seek(list, path) {
    for (const item of list.children) {
      if (item.id === path) return item;
      if (!path.startsWith(`${item.id}.`)) continue;
      const inside = insideOf(item) ?? grow(item);
      const found = inside && seek(inside, path);
      if (found) {
        unfold(item, inside);
        return found;
      }
    }
    return null;
  }

  /** Scroll there; what was not laid out yet gets its real height in view, and moves it. */
  function bring(item, frames = 8) {
    item.scrollIntoView();
    if (frames) requestAnimationFrame(() => bring(item, frames - 1));
  }

  function open(hash) {
    let path;
    try {
      path = decodeURIComponent(hash.slice(1));
    } catch {
      return; // not something that this site links to
    }
    for (const tree of path ? trees : []) {
      const item = seek(tree, path);
      if (!item) continue;
      for (const old of document.querySelectorAll("li.here")) old.classList.remove("here");
      item.classList.add("here");
      if (buttonOf(item)) unfold(item, insideOf(item) ?? grow(item));
      nameOf(item).focus({ preventScroll: true });
      bring(item);
      return;
    }
  }

  /** What an arrow key does at a fold button; the buttons of a tree stay ordinary ones. */
  function step(button, key) {
    const item = button.closest("li");
    const isOpen = button.getAttribute("aria-expanded") === "true";
    if (key === "ArrowRight" && isOpen) insideOf(item).querySelector(".fold")?.focus();
    else if (key === "ArrowLeft" && !isOpen) {
      const around = item.parentElement.closest("li");
      if (around) buttonOf(around)?.focus();
    } else if (key === "ArrowRight" || key === "ArrowLeft") toggle(button);
    else {
      const shown = [...document.querySelectorAll("main ul.tree .fold")].filter(
        (each) => !each.closest("[hidden]"),
      );
      shown[shown.indexOf(button) + (key === "ArrowDown" ? 1 : -1)]?.focus();
    }
  }

  for (const tree of trees) addButtons(tree);

  document.getElementById("unfold-all")?.addEventListener("click", () => {
    const around = new Set([ownType()]);
    let left = MOST;
    for (const tree of trees) left = unfoldAll(tree, around, left);
    say(left > 0 ? "All fields are unfolded." : "Unfolded as far as is sensible.");
  });

  document.getElementById("fold-all")?.addEventListener("click", () => {
    for (const tree of trees) {
      for (const list of tree.querySelectorAll("ul.tree:not([hidden])")) {
        fold(list.parentElement);
      }
    }
    say("All fields are folded.");
  });

  // ----------------------------------------------------------------- copying

  /** Select the text and copy what is selected, where there is no clipboard to write to. */
  function copySelected(code) {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }

  async function copy(button) {
    const code = button.closest(".example").querySelector("code");
    let done;
    try {
      await navigator.clipboard.writeText(code.textContent);
      done = true;
    } catch {
      done = copySelected(code);
    }
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    say(done ? "Copied." : "Selected: press Control and C to copy.");
    clearTimeout(Number(button.dataset.timer));
    button.dataset.timer = String(setTimeout(() => (button.textContent = label), 2000));
  }

  // ------------------------------------------------- languages, colours, releases

  const languages = [
    ...document.querySelectorAll("input[type=radio][name^=language]"),
  ];

  function choose(language) {
    for (const each of languages) if (each.value === language) each.checked = true;
  }

  for (const each of languages) {
    each.addEventListener("change", () => {
      remember("language", each.value);
      choose(each.value);
    });
  }
  choose(recall("language"));

  const SCHEMES = ["system", "light", "dark"];
  const scheme = document.getElementById("scheme");

  function labelScheme() {
    const label = `Colours: ${page.dataset.scheme ?? "system"}`;
    scheme?.setAttribute("aria-label", label);
    scheme?.setAttribute("title", label);
    return label;
  }

  scheme?.addEventListener("click", () => {
    const now = SCHEMES.indexOf(page.dataset.scheme ?? "system");
    const next = SCHEMES[(now + 1) % SCHEMES.length];
    if (next === "system") delete page.dataset.scheme;
    else page.dataset.scheme = next;
    remember("scheme", next === "system" ? "" : next);
    say(labelScheme());
  });
  labelScheme();

  /** The same field in another release. */
  function followHash() {
    for (const link of document.querySelectorAll("a[data-switch]")) {
      link.setAttribute("href", link.getAttribute("href").split("#")[0] + location.hash);
    }
  }

  // ------------------------------------------------------------------ the search

  const dialog = document.getElementById("search");

  /** A script of the site; those that are asked for run in that order. */
  function load(path) {
    const script = document.createElement("script");
    script.src = page.dataset.root + path;
    script.async = false;
    script.addEventListener("error", () => dispatchEvent(new Event("search-failed")));
    document.head.append(script);
  }

  let isLoading = false;
  function loadSearch() {
    if (isLoading) return;
    isLoading = true;
    load("assets/minisearch.js");
    load("assets/find.js");
    if (page.dataset.release) load(`${page.dataset.release}/search.js`);
    load("assets/elsewhere.js");
  }

  function openSearch() {
    loadSearch();
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("input").select();
  }

  const find = document.getElementById("find");
  if (dialog) {
    find?.addEventListener("click", openSearch);
    find?.addEventListener("pointerenter", loadSearch);
    find?.addEventListener("focus", loadSearch);
    dialog.addEventListener("click", (event) => {
      const box = dialog.getBoundingClientRect();
      const isInside =
        event.clientX >= box.left && event.clientX <= box.right &&
        event.clientY >= box.top && event.clientY <= box.bottom;
      if (event.target === dialog && !isInside) dialog.close();
    });
  }

  // ------------------------------------------------------------- what is pressed

  const TYPED_IN = "input:not([type=radio], [type=checkbox]), textarea, select";

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isFind =
      (key === "/" && isPlain && !target.closest?.(TYPED_IN)) ||
      (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey);
    if (isFind && dialog) {
      event.preventDefault();
      openSearch();
    } else if (isPlain && /^Arrow/.test(key) && target.matches?.("ul.tree .fold")) {
      event.preventDefault();
      step(target, key);
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches("ul.tree .fold")) toggle(button);
    else if (button?.matches(".copy")) copy(button);
    // A link to where the page already is changes no hash.
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) open(location.hash);
  });

  addEventListener("hashchange", () => {
    followHash();
    open(location.hash);
  });
  followHash();
  open(location.hash);
  // A browser that is still loading looks for the anchor itself, and takes the focus away.
  addEventListener("load", () => requestAnimationFrame(() => open(location.hash)));
})();

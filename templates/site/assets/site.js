"use strict";
// What all pages have: links that work in files, too, copying, languages, colour scheme, links to
// other releases, and loading the search (find.js) when it is first used.
(() => {
  const page = document.documentElement;

  // In pages opened from a disk, links to folders have to name the index page, which a web
  // server would find by itself.
  const FOLDER = /^(?![a-z][a-z\d+.-]*:|\/\/)([^?#]*\/)(?=[?#]|$)/i;

  /** The address of a page, with its index page where the site is opened from a disk. */
  function address(href) {
    return location.protocol === "file:" ? href.replace(FOLDER, "$1index.html") : href;
  }

  /** Let the links in a part of a page lead to index pages, where they have to. */
  function updateLinks(part) {
    if (location.protocol !== "file:") return;
    for (const link of part.querySelectorAll("a[href]")) {
      link.setAttribute("href", address(link.getAttribute("href")));
    }
  }

  /** Announce a text to screen readers. */
  function announce(text) {
    statusLine.textContent = text;
  }

  /** A new element with properties and children. */
  function element(tag, properties, ...children) {
    const created = Object.assign(document.createElement(tag), properties);
    created.append(...children);
    return created;
  }

  /** A name that can be broken behind its dots and slashes, and before the words in it. */
  function breakable(name) {
    return name.split(/(?<=[./])(?=[a-z])|(?<=[a-z])(?=[A-Z])/).flatMap((part, index) =>
      index ? [document.createElement("wbr"), part] : [part],
    );
  }

  /** A stored setting, or null; browsers may deny access, above all to local files. */
  function readSetting(key, storage = "localStorage") {
    try {
      return globalThis[storage].getItem(`kubestencil.${key}`);
    } catch {
      return null;
    }
  }

  function storeSetting(key, value, storage = "localStorage") {
    try {
      if (value) globalThis[storage].setItem(`kubestencil.${key}`, value);
      else globalThis[storage].removeItem(`kubestencil.${key}`);
    } catch {
      // The setting applies to this page only.
    }
  }

  const statusLine = element("div", { id: "said", className: "visually-hidden", role: "status" });
  document.body.append(statusLine);

  // ------------------------------------------------------------------------ copying

  /** Select an element and copy the selection, where there is no clipboard API. */
  function copySelection(element) {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }

  /** Show on a button, and tell screen readers, whether its text was copied. */
  function confirmCopy(button, isCopied) {
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
    announce(isCopied ? "Copied." : "Selected: press Control and C to copy.");
    clearTimeout(Number(button.dataset.timer));
    button.dataset.timer = String(setTimeout(() => (button.textContent = label), 2000));
  }

  /** Copy a text. Without a clipboard API, "element" is selected, which shows the text. */
  async function copy(button, text, element) {
    let isCopied;
    try {
      await navigator.clipboard.writeText(text);
      isCopied = true;
    } catch {
      isCopied = copySelection(element);
    }
    confirmCopy(button, isCopied);
  }

  for (const block of document.querySelectorAll(".example pre, .block pre")) {
    block.before(element("button", { className: "copy", ariaLabel: `Copy the ${block.ariaLabel} example` }, "Copy"));
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

  /** What the fragment of the address names, empty where that is no link of this site. */
  function addressedPath() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  }

  /** Let the links to other releases lead to the same field. */
  function updateReleaseLinks() {
    for (const link of document.querySelectorAll("[data-switch] a, a[data-switch]")) {
      link.setAttribute("href", link.getAttribute("href").split("#")[0] + location.hash);
    }
  }

  const releaseMenu = document.querySelector("details.switch");

  // The menu closes like one of the system.
  document.addEventListener("click", (event) => {
    if (releaseMenu?.open && !releaseMenu.contains(event.target)) releaseMenu.open = false;
  });
  releaseMenu?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !releaseMenu.open) return;
    releaseMenu.open = false;
    releaseMenu.querySelector("summary").focus();
  });

  // ------------------------------------------------------- loading data and the search

  const requested = new Set();

  /** Load a script of the site, once; scripts run in the order of these calls. */
  function loadScript(path, onError) {
    if (requested.has(path)) return undefined;
    requested.add(path);
    const script = element("script", { src: page.dataset.root + path, async: false });
    script.addEventListener("error", onError);
    document.head.append(script);
    return script;
  }

  let dialog = null; // the search, once it was asked for; "find.js" fills it

  function createDialog() {
    const label = "Search kinds, fields and descriptions";
    const key = (name) => element("kbd", {}, name);
    const found = element("div", { id: "found", role: "listbox", ariaBusy: "true", ariaLabel: "Search results" });
    const input = element("input", {
      type: "text", role: "combobox", id: "search-query", ariaLabel: label, placeholder: label, ariaExpanded: "false",
      ariaAutoComplete: "list", autocomplete: "off", autocapitalize: "off", spellcheck: false, enterKeyHint: "go",
    });
    input.setAttribute("aria-controls", found.id);
    dialog = element("dialog", { id: "search-dialog", ariaLabel: "Search" },
      element("div", { className: "ask" }, input, element("button", { type: "button", id: "search-close" }, "Close")),
      element("p", { id: "search-count", role: "status" }),
      element("div", { className: "results" }, found,
        element("section", { id: "search-answer", ariaLabel: "Answer", hidden: true })),
      element("p", { className: "keys", ariaHidden: "true" },
        key("↑"), " ", key("↓"), " select ", key("Enter"), " open ", key("Esc"), " close"));
    dialog.setAttribute("closedby", "any"); // by a click beside it
    document.body.append(dialog);
  }

  function loadSearch() {
    if (dialog) return;
    document.head.append(element("link", { rel: "stylesheet", href: `${page.dataset.root}assets/search.css` }));
    createDialog();
    const load = (path) => loadScript(path, () => dispatchEvent(new Event("search-failed")));
    for (const name of ["entries", "rank", "find"]) load(`assets/${name}.js`);
    const names = load(`${page.dataset.release}/search.js`);
    // What the first results do not need comes after them.
    const loadRest = () => [`${page.dataset.release}/search-texts.js`, "assets/other-releases.js"].forEach(load);
    for (const event of ["load", "error"]) names?.addEventListener(event, loadRest);
  }

  /** Open the search, with a query where there is one. */
  function openSearch(query = "") {
    loadSearch();
    if (!dialog.open) dialog.showModal();
    const input = dialog.querySelector("input");
    if (query) {
      input.value = query;
      input.dispatchEvent(new Event("input"));
    }
    input.select();
  }

  /** Called by the script of the user's own pages: the address, title and text of each. */
  globalThis.kubestencilPages = (pages) => {
    globalThis.kubestencil.ownPages = pages;
    dispatchEvent(new Event("own-pages"));
  };
  if ("pages" in page.dataset) loadScript("assets/own-pages.js", () => {});

  const searchButton = document.getElementById("find");
  for (const button of document.querySelectorAll("#find, [data-find]")) {
    button.addEventListener("click", () => openSearch());
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, loadSearch);
  }
  const sharedQuery = new URL(location.href).searchParams.get("q");
  if (sharedQuery) openSearch(sharedQuery);

  // ---------------------------------------------------------- keyboard, clicks, links

  const TEXT_INPUTS = "input:not([type=radio], [type=checkbox]), textarea, select";

  const hasOwnSearch = Boolean(document.querySelector("main form[role=search]")); // reports

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    const isSearchShortcut =
      (key === "/" && !hasModifier && !target.closest?.(TEXT_INPUTS) && !hasOwnSearch) ||
      (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey);
    if (isSearchShortcut && searchButton) {
      event.preventDefault();
      openSearch();
    }
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button.copy"), code = button?.nextElementSibling.querySelector("code");
    if (code) copy(button, code.textContent, code);
  });

  addEventListener("hashchange", updateReleaseLinks);
  updateReleaseLinks();

  globalThis.kubestencil = {
    address, addressedPath, announce, breakable, copy, element, loadScript, openSearch, ownPages: [], readSetting,
    storeSetting, updateLinks, TEXT_INPUTS,
  };
  updateLinks(document);
})();

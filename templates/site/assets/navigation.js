"use strict";
// The tree of groups and kinds beside a page: its data is one script for each release, and
// is loaded when the tree comes into view. Without it, the links in the page stay.
(() => {
  const { root, release, path: ownPath } = document.documentElement.dataset;
  const { address, breakable, element, loadScript, readSetting, storeSetting } = globalThis.kubestencil;
  const browse = document.getElementById("browse");
  const button = document.getElementById("browse-button");
  const column = matchMedia("(min-width: 62rem)");
  if (!browse || !release) return;
  button.ariaLabel = browse.ariaLabel;

  // What the header has no place for on narrow screens.
  const links = element("p", { className: "links" });
  for (const link of document.querySelectorAll(".top .links a")) links.append(link.cloneNode(true));
  browse.append(links);

  // ----------------------------------------------------------------------- the tree

  // The groups and versions that are open in this tab.
  const openGroups = new Set(readSetting("open-groups", "sessionStorage")?.split(" "));

  function linkItem(path, text, className = "") {
    const link = element("a", { href: address(`${root}${release}/${path}/`), className }, ...breakable(text));
    if (path && path === ownPath) link.setAttribute("aria-current", "page");
    return element("li", {}, link);
  }

  /** An item that is expanded to a list, which is made when it is first shown. */
  function branch(path, text, fill, isOpen = false) {
    const summary = element("summary", {}, element("span", {}, ...breakable(text)));
    const list = element("ul");
    const details = element("details", {}, summary, list);
    const show = () => {
      if (!list.firstChild) list.append(...fill());
    };
    if (isOpen || `${ownPath}/`.startsWith(`${path}/`) || openGroups.has(path)) {
      show();
      details.open = true;
    }
    details.addEventListener("toggle", () => {
      if (details.open) show();
    });
    summary.addEventListener("click", () => {
      show();
      openGroups[details.open ? "delete" : "add"](path); // what it will be
      storeSetting("open-groups", [...openGroups].join(" "), "sessionStorage");
    });
    return element("li", {}, details);
  }

  /** The kinds of a version, and the type of the page where that is in this version. */
  function* kindItems(path, kinds) {
    yield linkItem(path, `All of ${path}`, "overview");
    for (const kind of kinds) yield linkItem(`${path}/${kind}`, kind);
    const [group, version, name] = ownPath.split("/");
    if (name && path === `${group}/${version}` && !kinds.includes(name)) {
      yield linkItem(ownPath, name);
    }
  }

  function groupItem([group, versions]) {
    const isOwn = ownPath === group || ownPath.startsWith(`${group}/`);
    if (!isOwn && versions.every(([, kinds]) => kinds.length === 0)) return linkItem(group, group);
    return branch(group, group, () =>
      versions.length === 1
        ? kindItems(`${group}/${versions[0][0]}`, versions[0][1])
        : [
            linkItem(group, `All of ${group}`, "overview"),
            ...versions.map(([version, kinds], index) => {
              const path = `${group}/${version}`;
              return branch(path, version, () => kindItems(path, kinds), index === 0);
            }),
          ],
    );
  }

  /** Called by the script of the release. */
  globalThis.kubestencilNavigation = (groups) => {
    const list = element("ul", { className: "groups-tree" }, ...groups.map(groupItem));
    document.getElementById("browse-links").replaceWith(list);
    browse.classList.remove("loading");
    showCurrent();
  };

  /** Scroll the tree, and only the tree, to the link of the page. */
  function showCurrent() {
    const current = browse.querySelector("[aria-current]") ?? browse.querySelector("details[open]");
    if (!current) return;
    const offset = current.getBoundingClientRect().top - browse.getBoundingClientRect().top;
    browse.scrollTop += offset - browse.clientHeight / 3;
  }

  // The user's own pages are above the groups, by their folders.
  addEventListener("own-pages", () => {
    const { ownPages } = globalThis.kubestencil;
    const nav = document.createDocumentFragment();
    for (const [folder, pages] of Map.groupBy(ownPages, ([, , , name]) => name)) {
      const list = element("ul");
      for (const [path, name] of pages) {
        const item = linkItem("", name), link = item.firstElementChild;
        link.href = address(root + path);
        if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
        list.append(item);
      }
      nav.append(...(folder ? [element("p", { className: "title" }, folder)] : []), list);
    }
    browse.prepend(nav);
  });

  function load() {
    const script = loadScript(`${release}/navigation.js`, () => browse.classList.remove("loading"));
    browse.classList.toggle("loading", Boolean(script));
  }

  // On narrow screens it is over the page.
  function place() {
    browse.popover = column.matches ? null : "auto";
    if (column.matches) load();
  }
  place();
  column.addEventListener("change", place);
  button.popoverTargetElement = browse;
  browse.addEventListener("toggle", ({ newState }) => {
    if (newState !== "open") return;
    load();
    browse.focus();
    showCurrent();
  });
})();

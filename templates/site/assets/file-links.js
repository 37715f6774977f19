"use strict";
// In pages opened from a disk, links to folders have to name the index page, which a web
// server would find by itself.
(() => {
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

  globalThis.kubestencil = { address, updateLinks };
  updateLinks(document);
})();

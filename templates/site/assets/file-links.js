"use strict";
// In pages opened from a disk, links to folders have to name the index page, which a web
// server would find by itself.
(() => {
  const FOLDER = /^(?![a-z][a-z\d+.-]*:|\/\/)([^?#]*\/)(?=[?#]|$)/i;

  /** The address of a page, with its index page where the site is opened from a disk. */
  function address(href) {
    return location.protocol === "file:" ? href.replace(FOLDER, "$1index.html") : href;
  }

  globalThis.kubestencil = { address };
  if (location.protocol !== "file:") return;
  const templates = [...document.querySelectorAll("template")];
  for (const template of templates) {
    if (template.dataset.type) template.dataset.type = address(template.dataset.type);
  }
  for (const part of [document, ...templates.map((template) => template.content)]) {
    for (const link of part.querySelectorAll("a[href]")) {
      link.setAttribute("href", address(link.getAttribute("href")));
    }
  }
})();

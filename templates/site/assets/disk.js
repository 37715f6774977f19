"use strict";
// Where no server finds the index page of a folder, links name it: on a disk.
(() => {
  const FOLDER = /^(?![a-z][a-z\d+.-]*:|\/\/)([^?#]*\/)(?=[?#]|$)/i;

  /** The address that opens from here. */
  function address(href) {
    return location.protocol === "file:" ? href.replace(FOLDER, "$1index.html") : href;
  }

  globalThis.kubestencil = { address };
  if (location.protocol !== "file:") return;
  const templates = [...document.querySelectorAll("template")];
  for (const each of templates) {
    if (each.dataset.type) each.dataset.type = address(each.dataset.type);
  }
  for (const part of [document, ...templates.map((each) => each.content)]) {
    for (const link of part.querySelectorAll("a[href]")) {
      link.setAttribute("href", address(link.getAttribute("href")));
    }
  }
})();

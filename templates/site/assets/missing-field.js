"use strict";
// Says in which release the field of the address was added or removed. "fields.js" loads
// this where the page does not have the field.
(() => {
  const notice = document.getElementById("missing-field");
  const { release } = document.documentElement.dataset;

  /** What the change history says of a field, or of one that it is in. */
  function explanation(path) {
    for (const item of document.querySelectorAll("[data-changes] li")) {
      const changed = item.querySelector("a, code")?.textContent;
      const { event } = item.dataset;
      if (!event || !changed || !`${path}.`.startsWith(`${changed}.`)) continue;
      const { changes: changedIn } = item.closest("[data-changes]").dataset;
      return `${changed} was ${event} in ${changedIn}. This is ${release}.`;
    }
    return `${release} does not have ${path} here.`;
  }

  function show() {
    const path = globalThis.kubestencil.addressedPath();
    notice.hidden = !path || Boolean(document.getElementById(path));
    if (notice.hidden) return;
    notice.textContent = explanation(path);
    notice.scrollIntoView({ block: "center" });
  }

  addEventListener("hashchange", show);
  show();
})();

"use strict";
// Runs before the first paint, so that a page does not change its colours in view.
(() => {
  const page = document.documentElement;
  page.classList.add("js");
  if (location.hash) {
    page.classList.add("deep"); // until "fields.js" has opened what is linked to
    addEventListener("load", () => setTimeout(() => page.classList.remove("deep"), 1000));
  }
  try {
    const scheme = localStorage.getItem("kubestencil.scheme");
    if (scheme === "light" || scheme === "dark") page.dataset.scheme = scheme;
  } catch {
    // The browser denies access to its storage: the system's scheme is used.
  }
})();

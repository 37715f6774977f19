"use strict";
// Runs before the first paint, so that nothing is seen to change its colour.
(() => {
  const page = document.documentElement;
  page.classList.add("js");
  try {
    const chosen = localStorage.getItem("kubestencil.scheme");
    if (chosen === "light" || chosen === "dark") page.dataset.scheme = chosen;
  } catch {
    // A browser may refuse its storage; then the system's scheme it is.
  }
})();

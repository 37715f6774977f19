"use strict";
// Where an address leads nowhere, the search looks for the name in it: it knows removed kinds,
// and names with mistakes.
(() => {
  const { root } = document.documentElement.dataset;
  const { pathname } = location;
  const names = (pathname.startsWith(root) ? pathname.slice(root.length) : pathname).split("/").filter((name) => name && !/^(index|404)\.html$/.test(name));
  const [group, version, kind] = names.slice(-3);
  // With its API version: one may be removed whose kind is not.
  const isType = kind && /^v\d/.test(version);
  const name = isType ? `${group === "core" ? "" : `${group}/`}${version} ${kind}` : (names.at(-1) ?? "");
  if (!/^[\w./ -]{1,100}$/.test(name)) return;
  document.getElementById("looked-for").textContent = `, which looks for ${name}`;
  globalThis.kubestencil.openSearch(name);
})();

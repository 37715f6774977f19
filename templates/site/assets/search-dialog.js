"use strict";
// The dialog of the search, which pages have when it is first used. "find.js" fills it.
(() => {
  const element = (tag, attributes, ...children) => {
    const created = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
    created.append(...children);
    return created;
  };
  const label = "Search kinds, fields and descriptions";
  const key = (name) => element("kbd", {}, name);

  document.body.append(
    element("dialog", { id: "search-dialog", "aria-label": "Search" },
      element("div", { class: "ask" },
        element("input", {
          type: "text", role: "combobox", id: "search-query", "aria-label": label, placeholder: label,
          "aria-controls": "found", "aria-expanded": "false", "aria-autocomplete": "list",
          autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go",
        }),
        element("button", { type: "button", id: "search-close" }, "Close")),
      element("p", { id: "search-count", role: "status" }),
      element("div", { id: "found", role: "listbox", "aria-busy": "true", "aria-label": "Search results" }),
      element("p", { class: "keys", "aria-hidden": "true" },
        key("↑"), " ", key("↓"), " select ", key("Enter"), " open ", key("Esc"), " close")),
  );
  dispatchEvent(new Event("search-dialog"));
})();

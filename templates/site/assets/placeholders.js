"use strict";
// Tells values that do not say what they stand for, as "kubestencil check" does: by the
// delimiters and patterns of generator/kubestencil/checking/files/placeholders.py, which the
// page has.
(() => {
  const PLACEHOLDER = "has a placeholder, which is filled in first", ENCRYPTED = "is encrypted";

  function placeholderReader({ delimiters, patterns }) {
    const expressions = Object.fromEntries(Object.entries(patterns).map(([name, source]) => [name, new RegExp(source)]));
    const matches = (text, name) => expressions[name].test(text);
    const encloses = (text, name) =>
      delimiters[name].some(([opening, closing]) => {
        const start = text.indexOf(opening);
        return start >= 0 && text.indexOf(closing, start + opening.length) >= 0;
      });

    /** Why it is not known what a text stands for; empty of one that is meant as it is. */
    function reasonOfText(text) {
      if (matches(text, "ciphertext") || encloses(text, "ciphertext")) return ENCRYPTED;
      const isWhole = matches(text, "whole") && !matches(text.toLowerCase(), "meant");
      return isWhole || matches(text, "part") || encloses(text, "part") ? PLACEHOLDER : "";
    }

    /** The same of a node. "[[ X ]]" without quotes is a list of lists. */
    function reasonUnknown({ items, value }) {
      const [inner] = items?.length === 1 ? items : [];
      const isList = inner?.items?.length === 1 && typeof inner.items[0].value === "string";
      return typeof value === "string" ? reasonOfText(value) : isList ? PLACEHOLDER : "";
    }

    return {
      reasonUnknown,
      isTemplate: (text) => encloses(text, "template") || matches(text, "unquoted"),
      isEncryptedFile: (text) => matches(text, "file"),
    };
  }

  globalThis.kubestencil.placeholderReader = placeholderReader;
})();

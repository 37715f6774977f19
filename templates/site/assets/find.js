"use strict";
// The dialog of the search: a combobox that shows what rank.js finds in the indexes that
// scripts bring. Its query is in the address of the page (?q=), which can be shared.
(() => {
  const { root, release: ownRelease } = document.documentElement.dataset;
  const { address } = globalThis.kubestencil;
  const { Pool, SEPARATOR, findResults: findInPool } = globalThis.kubestencilSearch;

  // ------------------------------------------------------------------------ results

  const OWN_LIMIT = 40, OTHER_LIMIT = 10;
  const pools = { own: null, other: null }; // of the page's release, and of all others

  const MAX_VALUES = 8; // of a field, that a result shows

  /** Why a result is one, and what is known of a field: its default, its values, its age. */
  function answerOf({ answer }, note) {
    const { standard = "", values = [], added = "" } = answer ?? {};
    const shown = values.slice(0, MAX_VALUES).map((value) => value || '""').join(", ");
    return [
      note,
      standard && `default ${standard}`,
      values.length > MAX_VALUES ? `${shown}, …` : shown,
      added && `added in ${added}`,
    ].filter(Boolean).join(" · ");
  }

  /** What the dialog shows of a result of the search. */
  function describe(pool, { entry, path, release, fields, note }) {
    const type = entry.type ?? entry;
    const start = fields[0].type ?? type;
    const isPath = entry.isField;
    return {
      path, release,
      isField: isPath,
      name: isPath ? fields.map(({ name }) => name.text).join(".") : entry.name.text,
      owner: isPath ? `${start.name.text}.` : "",
      type: isPath ? pool.labelOf(entry) : "",
      role: entry.role,
      where: entry.role === "API" ? "" : start.api.text,
      answer: answerOf(entry, note),
      text: pool.textOf(entry),
    };
  }

  /** The user's own pages that have all words of a query, in the title or anywhere. */
  function findPages(query) {
    const words = wordsOf(query);
    const has = (text) => words.length > 0 && words.every((word) => text.toLowerCase().includes(word));
    const found = globalThis.kubestencil.ownPages.filter(([, title, text]) => has(`${title} ${text}`));
    found.sort(([, one], [, other]) => has(other) - has(one));
    return found.slice(0, OTHER_LIMIT).map(([path, title, text]) => ({
      path: `../${path}`, release: ownRelease, isField: false, name: title, role: "page", text,
    }));
  }

  /** The results of a query, those of the page's release first, and whether these are all. */
  function findResults(query) {
    const results = findPages(query);
    let isComplete = true;
    for (const [pool, limit] of [[pools.own, OWN_LIMIT], [pools.other, OTHER_LIMIT]]) {
      if (!pool) continue;
      const matches = findInPool(pool, query, limit);
      const isNew = (match) => pool === pools.own || !pools.own?.has(match.path);
      const shown = matches.filter(isNew);
      isComplete &&= shown.length <= limit;
      results.push(...shown.slice(0, limit).map((match) => describe(pool, match)));
    }
    return { results, isComplete };
  }

  const wordsOf = (text) => text.toLowerCase().split(SEPARATOR).filter(Boolean);

  // ------------------------------------------------------------------------ options

  const escapeRegExp = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

  /** A text with the given words in <mark>. */
  function highlighted(text, words) {
    const fragment = document.createDocumentFragment();
    if (!words.length) {
      fragment.append(text);
      return fragment;
    }
    const longestFirst = [...words].sort((a, b) => b.length - a.length).map(escapeRegExp);
    const parts = text.split(new RegExp(`(${longestFirst.join("|")})`, "iu"));
    for (const [index, part] of parts.entries()) {
      const isMatch = index % 2 === 1;
      if (isMatch) {
        const mark = document.createElement("mark");
        mark.textContent = part;
        fragment.append(mark);
      } else if (part) fragment.append(part);
    }
    return fragment;
  }

  const SNIPPET_CONTEXT = 60, SNIPPET_LENGTH = 180;

  /** The part of a description that contains the first of the words. */
  function snippet(text, words) {
    const pattern = new RegExp(words.map(escapeRegExp).join("|"), "iu");
    const match = words.length ? text.search(pattern) : -1;
    if (match <= SNIPPET_CONTEXT) {
      return text.length > SNIPPET_LENGTH ? `${text.slice(0, SNIPPET_LENGTH)}…` : text;
    }
    const start = text.indexOf(" ", match - SNIPPET_CONTEXT) + 1 || match;
    const end = start + SNIPPET_LENGTH;
    return `…${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  }

  // The parts of an option, in the order of the page, and what each contains.
  const TYPE_PARTS = ["name", "where", "role", "release"];
  const FIELD_PARTS = ["owner", "name", "type", "where", "release"];
  const CLASSES = { role: "badge", release: "badge other" };

  function createPart(property, content) {
    const part = document.createElement(property === "name" ? "strong" : "span");
    part.className = CLASSES[property] ?? property;
    part.append(content);
    return part;
  }

  /** The option of the combobox for a result. */
  function createOption(result, number, query) {
    const typed = wordsOf(query);
    const longWords = typed.filter(({ length }) => length > 2);
    const values = {
      ...result,
      release: result.release === ownRelease ? "" : result.release,
      text: snippet(result.text, longWords),
    };
    const words = { name: typed, owner: longWords, answer: longWords, text: longWords };
    const partOf = (property) =>
      values[property] ? [createPart(property, highlighted(values[property], words[property] ?? []))] : [];
    const names = document.createElement("span");
    names.className = "names";
    for (const property of result.isField ? FIELD_PARTS : TYPE_PARTS) {
      // No space between the owner of a field and its name.
      names.append(...partOf(property), property === "owner" ? "" : " ");
    }
    const option = document.createElement("a");
    option.className = `found ${result.isField ? "field" : "type"}`;
    option.setAttribute("role", "option");
    option.tabIndex = -1;
    option.append(names, ...partOf("answer"), ...partOf("text"));
    option.id = `found-${number}`;
    option.setAttribute("href", address(`${root}${result.release}/${result.path}`));
    return option;
  }

  // ----------------------------------------------------------------------- combobox

  const dialog = document.getElementById("search-dialog");
  const input = dialog.querySelector("input");
  const list = document.getElementById("found");
  const countLine = document.getElementById("search-count");
  let pendingScripts = 4; // names and descriptions, of the page's release and of others
  let hasFailed = false;
  let isPartial = false; // whether the index of the page's release lacks some fields

  function select(option) {
    for (const selected of list.querySelectorAll("[aria-selected=true]")) {
      selected.setAttribute("aria-selected", "false");
    }
    if (!option) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function countText(count, isComplete) {
    if (hasFailed && !count) return "The search index could not be loaded.";
    if (pendingScripts > 0 && !count) return "Loading the search index…";
    if (!isComplete) return `Top ${count} results`;
    const text = count === 1 ? "1 result" : `${count || "No"} results`;
    return isPartial ? `${text}; fields deep inside of resources are not searched` : text;
  }

  let shownQuery = "";

  /** Search again: the query has changed, or more of an index is available. */
  function refresh() {
    const query = input.value.trim();
    const { results, isComplete } = query
      ? findResults(query)
      : { results: [], isComplete: true };
    const isSameQuery = query === shownQuery;
    const selectedHref = list.querySelector("[aria-selected=true]")?.getAttribute("href");
    list.replaceChildren(...results.map((result, number) => createOption(result, number, query)));
    input.setAttribute("aria-expanded", String(results.length > 0));
    countLine.textContent = query ? countText(results.length, isComplete) : "";
    const selected = [...list.children].find(
      (option) => option.getAttribute("href") === selectedHref,
    );
    select((isSameQuery && selected) || list.firstElementChild);
    if (!isSameQuery) list.scrollTop = 0;
    shownQuery = query;
  }

  /** Write the query into the address, or remove it. */
  function shareQuery(query) {
    const url = new URL(location.href);
    if (query) url.searchParams.set("q", query);
    else url.searchParams.delete("q");
    try {
      history.replaceState(history.state, "", url);
    } catch {
      // The browser denies it to local files.
    }
  }

  input.addEventListener("input", () => {
    refresh();
    shareQuery(input.value.trim());
  });

  input.addEventListener("keydown", (event) => {
    const options = [...list.children];
    const selectedId = input.getAttribute("aria-activedescendant");
    const current = options.findIndex((option) => option.id === selectedId);
    const last = options.length - 1;
    const moves = {
      ArrowDown: current < last ? current + 1 : 0,
      ArrowUp: current > 0 ? current - 1 : last,
      Home: 0,
      End: last,
    };
    if (!options.length || event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      options[current]?.click();
    } else if (event.key in moves && !event.shiftKey) {
      event.preventDefault();
      select(options[moves[event.key]]);
    }
  });

  list.addEventListener("click", (event) => {
    // The search stays open where the result opens in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Before the link is followed, so that a field of this page is not loaded again.
    shareQuery("");
    dialog.close();
  });
  document.getElementById("search-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => shareQuery(""));

  function finishScript() {
    pendingScripts -= 1;
    list.setAttribute("aria-busy", String(pendingScripts > 0));
    refresh();
  }

  addEventListener("search-failed", () => {
    hasFailed = true;
    finishScript();
  });

  // --------------------------------------------------------------------- index files

  /** Called by scripts of search_index.py with the names of an index. */
  globalThis.kubestencilIndex = (payload) => {
    const pool = new Pool(payload);
    pools[payload.release === ownRelease ? "own" : "other"] = pool;
    isPartial ||= Boolean(payload.isPartial);
    finishScript();
  };

  /** Called by scripts of search_index.py with the descriptions of an index. */
  globalThis.kubestencilTexts = (payload) => {
    const pool = pools[payload.release === ownRelease ? "own" : "other"];
    pool?.setTexts(payload); // its names may have failed to load
    finishScript();
  };

  const sharedQuery = new URL(location.href).searchParams.get("q");
  if (sharedQuery && !input.value) input.value = sharedQuery;
  refresh();
})();

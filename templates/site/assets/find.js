"use strict";
// The dialog of the search: a combobox that shows what rank.js finds, and beside it what is
// known of the result that is selected. Its query is in the address of the page (?q=), which can
// be shared.
(() => {
  const { root, release: ownRelease } = document.documentElement.dataset;
  const { address, breakable, copy, element } = globalThis.kubestencil;
  const { SEPARATOR, contentOf, findResults: findInPool, pools } = globalThis.kubestencilSearch;

  // ------------------------------------------------------------------------ results

  const OWN_LIMIT = 40, OTHER_LIMIT = 10, MAX_FACTS = 4;
  const RELEASES = [ownRelease, ""]; // the page's, and all others

  /** A path as people write it: spec.containers[].image. */
  const written = (fields) =>
    fields.map(({ name, label }, index) => name.text + (index < fields.length - 1 && /^list of /.test(label) ? "[]" : ""));

  /** What the dialog shows of a result of the search. */
  function describe(pool, match, query) {
    const { entry, path, release, type, fields } = match;
    const names = written(fields);
    return {
      path, release, pool, match,
      owner: fields.length ? `${type.name.text} ${names.slice(0, -1).map((name) => `${name}.`).join("")}` : "",
      name: names.at(-1) ?? entry.name.text,
      type: fields.length ? pool.labelOf(entry) : { kind: "", type: "type", API: "API" }[entry.role],
      where: entry.role === "API" ? "" : type.api.text,
      facts: pool.factsOf(match, query),
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
      path: `../${path}`, release: ownRelease, owner: "", name: title, type: "page", where: "", facts: [], text,
    }));
  }

  /** The results of a query, those of the page's release first, and whether these are all. */
  function findResults(query) {
    const results = findPages(query);
    let isComplete = true;
    const own = pools.get(ownRelease);
    for (const pool of RELEASES.map((release) => pools.get(release)).filter(Boolean)) {
      const limit = pool === own ? OWN_LIMIT : OTHER_LIMIT;
      const matches = findInPool(pool, query, limit);
      const isNew = (match) => pool === own || !own?.has(match.path);
      const shown = matches.filter(isNew);
      isComplete &&= shown.length <= limit;
      results.push(...shown.slice(0, limit).map((match) => describe(pool, match, query)));
    }
    return { results, isComplete };
  }

  const wordsOf = (text) => text.toLowerCase().split(SEPARATOR).filter(Boolean);

  // ------------------------------------------------------------------------ options

  /** The parts of a text, with the given words in <mark>. */
  function highlighted(text, words) {
    const longestFirst = words.toSorted((a, b) => b.length - a.length).map(RegExp.escape);
    const parts = words.length ? text.split(new RegExp(`(${longestFirst.join("|")})`, "iu")) : [text];
    return parts.map((part, index) => (index % 2 ? element("mark", {}, part) : part));
  }

  const SNIPPET_CONTEXT = 60, SNIPPET_LENGTH = 180;

  /** The part of a description that contains the first of the words. */
  function snippet(text, words) {
    const pattern = new RegExp(words.map(RegExp.escape).join("|"), "iu");
    const match = words.length ? text.search(pattern) : -1;
    if (match <= SNIPPET_CONTEXT) {
      return text.length > SNIPPET_LENGTH ? `${text.slice(0, SNIPPET_LENGTH)}…` : text;
    }
    const start = text.indexOf(" ", match - SNIPPET_CONTEXT) + 1 || match;
    const end = start + SNIPPET_LENGTH;
    return `…${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  }

  const hrefOf = ({ release, path }) => address(`${root}${release}/${path}`);

  /** The option of the combobox for a result: where it is, what is known of it. */
  function createOption(result, number, words) {
    const { owner, name, type, where, release, facts, text } = result;
    const path = element("span", { className: "path" }, ...breakable(owner), element("b", {}, ...highlighted(name, words)));
    const notes = [type, where, release === ownRelease ? "" : release].filter(Boolean);
    const longWords = words.filter(({ length }) => length > 2);
    const line = facts.length ? facts.slice(0, MAX_FACTS).join(" · ") : snippet(text, longWords);
    const option = element("a", { className: "hit", id: `found-${number}`, tabIndex: -1, role: "option" },
      element("span", { className: "line" }, path, " ", element("span", { className: "notes" }, notes.join(" · "))),
      " ", element("span", { className: facts.length ? "facts" : "text" }, ...highlighted(line, longWords)));
    option.setAttribute("href", hrefOf(result));
    return option;
  }

  // ------------------------------------------------------------------------- the answer

  /**
   * The lines of a manifest, and whether each is of the field at a path; none where the kind has
   * no manifest, or that has no such field.
   */
  function linesWith(manifest, fields) {
    const lines = manifest.trimEnd().split("\n");
    const open = []; // the names above a line, with their columns
    const marked = lines.map((line) => {
      const [, start, key] = /^([\s-]*)([^\s:]+):/.exec(line) ?? [];
      const column = start?.length ?? line.search(/[^\s-]/);
      while (open.length && open.at(-1).column >= column) open.pop();
      if (key) open.push({ key, column });
      return fields.length > 0 && fields.every(({ name }, index) => open[index]?.key === name.text);
    });
    return !fields.length || marked.includes(true) ? lines.map((line, index) => ({ line, isMarked: marked[index] })) : [];
  }

  /** The YAML of a result: the first manifest of its kind, with the field in it. */
  const yamlOf = ({ pool, match }) => linesWith(pool?.starters.get(match.type) ?? "", match?.fields ?? []);

  function showAnswer(result) {
    answer.replaceChildren();
    answer.hidden = !result;
    if (!result) return;
    const { name, type, facts, text, pool, match } = result;
    const lines = result.match ? yamlOf(result) : [];
    const twins = match ? pool.twinsOf(match) : [];
    const code = element("code", {}, ...lines.map(({ line, isMarked }) => element("span", { className: isMarked ? "on" : "" }, `${line}\n`)));
    const button = element("button", { type: "button" }, "Copy YAML");
    button.addEventListener("click", () => copy(button, code.textContent, code));
    answer.append(
      element("h2", {}, name, " ", element("span", { className: "soft" }, type)),
      element("p", {}, text),
      ...(facts.length ? [element("ul", {}, ...facts.map((fact) => element("li", {}, fact)))] : []),
      ...(lines.length ? [element("pre", { tabIndex: 0, ariaLabel: "YAML" }, code)] : []),
      ...(twins.length ? [element("p", { className: "soft" }, `Also in ${twins.join(", ")}`)] : []),
      element("p", { className: "acts" }, element("a", { href: hrefOf(result) }, "Open the page"), " ", ...(lines.length ? [button] : [])));
    answer.scrollTop = 0;
    const pre = answer.querySelector("pre"), marked = answer.querySelector(".on");
    if (marked) pre.scrollTop = marked.offsetTop - pre.offsetTop - pre.clientHeight / 3;
  }

  // ----------------------------------------------------------------------- combobox

  const dialog = document.getElementById("search-dialog");
  const input = dialog.querySelector("input");
  const list = document.getElementById("found");
  const countLine = document.getElementById("search-count");
  const answer = document.getElementById("search-answer");
  let shown = []; // the results of the query
  let hasFailed = false;
  const isLoading = () => !hasFailed && !RELEASES.every((release) => pools.get(release)?.isComplete);

  function select(option) {
    for (const selected of list.querySelectorAll("[aria-selected=true]")) {
      selected.setAttribute("aria-selected", "false");
    }
    showAnswer(shown[[...list.children].indexOf(option)]);
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function countText(count, isComplete) {
    if (hasFailed && !count) return "The search index could not be loaded.";
    if (isLoading() && !count) return "Loading the search index…";
    if (!isComplete) return `Top ${count} results`;
    const text = count === 1 ? "1 result" : `${count || "No"} results`;
    return RELEASES.some((release) => pools.get(release)?.isPartial) ? `${text}; fields deep inside of resources are not searched` : text;
  }

  let shownQuery = "";

  /** Search again: the query has changed, or more of an index is available. */
  function refresh() {
    const query = input.value.trim();
    const { results, isComplete } = query
      ? findResults(query)
      : { results: [], isComplete: true };
    const isSameQuery = query === shownQuery;
    // Where more of an index came, what is first was not chosen.
    const selectedHref = list.querySelector("[aria-selected=true]:not(:first-child)")?.getAttribute("href");
    const words = [...new Set(contentOf(query, pools.get(ownRelease)?.words ?? new Map()).map(({ word }) => word))];
    shown = results;
    list.ariaBusy = String(isLoading());
    list.replaceChildren(...results.map((result, number) => createOption(result, number, words)));
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

  list.addEventListener("pointermove", ({ target }) => {
    const option = target.closest(".hit");
    if (option && option.ariaSelected !== "true") select(option);
  });
  dialog.addEventListener("click", (event) => {
    if (!event.target.closest("a")) return;
    // The search stays open where the result opens in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Before the link is followed, so that a field of this page is not loaded again.
    shareQuery("");
    dialog.close();
  });
  document.getElementById("search-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => shareQuery(""));

  addEventListener("search-data", refresh);
  addEventListener("search-failed", () => {
    hasFailed = true;
    refresh();
  });
  refresh();
})();

"use strict";
// The search. Each index that a script brings becomes two MiniSearch indexes, one of names
// and one of all texts; several passes rank the results; a combobox shows them.
(() => {
  const { root, release: ownRelease } = document.documentElement.dataset;
  const { address } = globalThis.kubestencil;

  // -------------------------------------------------------------------------- words

  const SEPARATOR = /[^\p{L}\p{N}]+/u;
  const CAMEL_WORD =
    /\p{Lu}+s?(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}|[^\p{Lu}\p{Ll}]+/gu;

  /** The words of a name: livenessProbe gives liveness, probe. */
  function wordsOf(name) {
    const parts = name.split(SEPARATOR).flatMap((part) => part.match(CAMEL_WORD) ?? []);
    return parts.map((word) => word.toLowerCase());
  }

  /** The terms that find a name: its words, and the rest of the name from each word on. */
  function termsOf(name) {
    const words = wordsOf(name);
    const suffixes = words.map((_, index) => words.slice(index).join(""));
    return [...new Set([...words, ...suffixes])].join(" ");
  }

  /** HorizontalPodAutoscaler gives hpa; names of one or two words give nothing. */
  function initialsOf(name) {
    const words = wordsOf(name);
    return words.length > 2 ? words.map((word) => word[0]).join("") : "";
  }

  const tokenize = (text) => text.toLowerCase().split(SEPARATOR).filter(Boolean);

  // ---------------------------------------------------------------------- documents

  const LEVEL_WEIGHTS = { alpha: 0.55, beta: 0.7 };

  /**
   * The weight of a type or field among results that match equally well: kinds before
   * other types before fields, stable versions first, then what more kinds use. Status
   * types and lists come last, since nobody writes them.
   */
  function weightOf(type, isField) {
    const [name, path, isKind, kindCount] = type;
    const role = isField ? 1 : isKind && !name.endsWith("List") ? 5 : 2;
    const level = LEVEL_WEIGHTS[/\/v\d+(alpha|beta)\d+\//.exec(path)?.[1]] ?? 1;
    const usage = 1 + Math.min(Math.log2(1 + kindCount), 8) / 30;
    return role * level * usage * (/(Status|List)$/.test(name) ? 0.8 : 1);
  }

  /**
   * The properties that the documents of types and fields share. "joined" is the name
   * without separators, "where" the group and version.
   */
  function commonProperties(name, path, text, release) {
    return {
      name, path, text, release,
      where: path.split("/").slice(0, -2).join("/"),
      joined: name.split(SEPARATOR).join(""),
      firstWord: wordsOf(name)[0] ?? "",
      words: termsOf(name),
    };
  }

  function typeDocument(type, release) {
    const [name, path, isKind, , text, names] = type;
    const common = commonProperties(name, path, text, release);
    return {
      ...common,
      isField: false,
      role: isKind ? "kind" : "type",
      initials: isKind ? initialsOf(name) : "",
      resource: names,
      context: common.where,
      weight: weightOf(type, false),
    };
  }

  function fieldDocument(field, type, release) {
    const [, name, typeLabel, text] = field;
    const [owner, path] = type;
    const common = commonProperties(name, path, text, release);
    return {
      ...common,
      isField: true,
      owner,
      type: typeLabel,
      context: `${common.where} ${termsOf(owner)}`,
      weight: weightOf(type, true),
    };
  }

  /** The documents of an index, without those that the page's own release has. */
  function documentsOf(payload, ownPaths) {
    const releaseOf = (item, index) => payload.release || item[index];
    const documents = [];
    for (const type of payload.types) {
      if (!ownPaths.has(type[1])) documents.push(typeDocument(type, releaseOf(type, 6)));
    }
    for (const field of payload.fields) {
      const type = payload.types[field[0]];
      if (ownPaths.has(`${type[1]}#${field[1]}`)) continue;
      documents.push(fieldDocument(field, type, releaseOf(field, 4)));
    }
    return documents.map((item, id) => ({ ...item, id }));
  }

  // ------------------------------------------------------------------------ indexes

  function createIndex(fields, documents) {
    return new globalThis.MiniSearch({
      fields,
      tokenize,
      processTerm: (term) => term, // tokenize() has normalized it
      searchOptions: {
        combineWith: "AND",
        boostDocument: (id) => documents[id].weight,
      },
    });
  }

  const NAME_FIELDS = ["joined", "initials", "resource", "firstWord", "words"];
  const BOOST = { joined: 4, initials: 4, resource: 4, firstWord: 4, words: 2, context: 0.5 };
  const isLong = (term) => term.length > 2;

  /**
   * The passes of a search. Each appends the results that the passes before it did not
   * find. A pass with isJoined takes all words as one: "image pull policy" finds
   * imagePullPolicy. One with isLastResort runs only where nothing was found.
   */
  const PASSES = [
    { index: "names", options: { fields: ["joined", "initials", "resource", "context"] } },
    { index: "names", options: { fields: ["joined", "words"] }, isJoined: true },
    { index: "names", options: { fields: ["firstWord", "words", "context"] } },
    { index: "names", options: { fields: ["joined", "resource", "context"], prefix: true } },
    { index: "names", options: { fields: ["firstWord", "words", "context"], prefix: true } },
    {
      index: "names",
      options: { prefix: true, fuzzy: (term) => isLong(term) && 0.2 },
      isLastResort: true,
    },
    { index: "texts", options: { prefix: isLong } }, // texts include names
  ];

  /** Whether the name matches: group, version and owner alone are not enough. */
  function matchesName(hit) {
    return Object.values(hit.match).some((fields) =>
      fields.some((field) => NAME_FIELDS.includes(field)),
    );
  }

  const CHUNK_SIZE = 100; // documents; takes some milliseconds, so that typing stays smooth

  class Pool {
    constructor(documents, limit) {
      this.documents = documents;
      this.limit = limit;
      this.names = createIndex([...NAME_FIELDS, "context"], documents);
      this.texts = createIndex([...NAME_FIELDS, "context", "text"], documents);
    }

    async fill() {
      await this.names.addAllAsync(this.documents, { chunkSize: CHUNK_SIZE });
      refresh();
      await this.texts.addAllAsync(this.documents, { chunkSize: CHUNK_SIZE });
      refresh();
    }

    search(query, pass) {
      const filter = pass.index === "names" ? matchesName : undefined;
      const words = pass.isJoined ? tokenize(query).join("") : query;
      return this[pass.index].search(words, { boost: BOOST, filter, ...pass.options });
    }
  }

  const pools = [];

  /**
   * The documents that match a query, best first and those of the page's release before
   * others, and whether no match was left out.
   */
  function findResults(query) {
    const matches = pools.map(() => new Map());
    for (const pass of PASSES) {
      if (pass.isLastResort && matches.some((termsById) => termsById.size)) continue;
      for (const [index, pool] of pools.entries()) {
        const termsById = matches[index];
        if (termsById.size >= pool.limit) continue;
        for (const hit of pool.search(query, pass)) {
          if (termsById.size >= pool.limit) break;
          if (!termsById.has(hit.id)) termsById.set(hit.id, hit.terms);
        }
      }
    }
    return {
      results: pools.flatMap((pool, index) =>
        [...matches[index]].map(([id, terms]) => ({ ...pool.documents[id], terms })),
      ),
      isComplete: pools.every((pool, index) => matches[index].size < pool.limit),
    };
  }

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

  /** The option of the combobox for a result. */
  function createOption(result, number, query) {
    const template = document.getElementById(result.isField ? "found-field" : "found-type");
    const option = template.content.firstElementChild.cloneNode(true);
    const typed = tokenize(query);
    const textWords = [...new Set([...typed, ...result.terms])].filter(isLong);
    const values = {
      ...result,
      owner: result.owner && `${result.owner}.`,
      release: result.release === ownRelease ? "" : result.release,
      text: snippet(result.text, textWords),
    };
    const name = result.name.toLowerCase();
    const nameWords = typed.some((word) => name.includes(word)) ? typed : result.terms;
    const words = { name: nameWords, owner: typed.filter(isLong), text: textWords };
    for (const element of option.querySelectorAll("[data-fill]")) {
      const property = element.dataset.fill;
      if (values[property]) {
        element.append(highlighted(values[property], words[property] ?? []));
      } else element.remove();
    }
    option.id = `found-${number}`;
    const fragment = result.isField ? `#${encodeURIComponent(result.name)}` : "";
    option.setAttribute("href", address(`${root}${result.release}/${result.path}${fragment}`));
    return option;
  }

  // ----------------------------------------------------------------------- combobox

  const dialog = document.getElementById("search-dialog");
  const input = dialog.querySelector("input");
  const list = document.getElementById("found");
  const countLine = document.getElementById("search-count");
  let pendingIndexes = ownRelease ? 2 : 1;
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
    if (pendingIndexes > 0 && !count) return "Loading the search index…";
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

  input.addEventListener("input", refresh);

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
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  });
  document.getElementById("search-close").addEventListener("click", () => dialog.close());

  function finishIndex() {
    pendingIndexes -= 1;
    list.setAttribute("aria-busy", String(pendingIndexes > 0));
    refresh();
  }

  addEventListener("search-failed", () => {
    hasFailed = true;
    finishIndex();
  });

  // --------------------------------------------------------------------- index files

  const ownPaths = new Set();
  let filling = Promise.resolve(); // one index after the other, the page's release first

  /** Called by search.js and other-releases.js with their index (search_index.py). */
  globalThis.kubestencilIndex = (payload) => {
    const isOwnRelease = payload.release === ownRelease;
    isPartial ||= Boolean(payload.isPartial);
    const documents = documentsOf(payload, ownPaths);
    if (isOwnRelease) {
      for (const { isField, path, name } of documents) {
        ownPaths.add(isField ? `${path}#${name}` : path);
      }
    }
    const pool = new Pool(documents, isOwnRelease ? 40 : 10);
    pools.push(pool);
    filling = filling.then(() => pool.fill()).then(finishIndex);
  };

  refresh();
})();

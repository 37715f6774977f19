"use strict";
// The search: an index of names and one of texts for what each search.js brings, both
// by MiniSearch; passes that say what is a better answer; and a combobox over them.
(() => {
  const { root, release: ownRelease } = document.documentElement.dataset;
  const { address } = globalThis.kubestencil;

  // ------------------------------------------------------------------------ words

  const APART = /[^\p{L}\p{N}]+/u;
  const CAMEL = /\p{Lu}+s?(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}|[^\p{Lu}\p{Ll}]+/gu;

  /** livenessProbe: liveness, probe. */
  function wordsOf(name) {
    const parts = name.split(APART).flatMap((part) => part.match(CAMEL) ?? []);
    return parts.map((word) => word.toLowerCase());
  }

  /** What somebody may type for a name: its words, and the name from each of them on. */
  function keysOf(name) {
    const words = wordsOf(name);
    const rests = words.map((_, at) => words.slice(at).join(""));
    return [...new Set([...words, ...rests])].join(" ");
  }

  /** HorizontalPodAutoscaler: hpa. Shorter ones would be found for everything. */
  function initialsOf(name) {
    const words = wordsOf(name);
    return words.length > 2 ? words.map((word) => word[0]).join("") : "";
  }

  const tokens = (text) => text.toLowerCase().split(APART).filter(Boolean);

  // ------------------------------------------------------------------- documents

  const LEVELS = { alpha: 0.55, beta: 0.7 };

  /**
   * What comes first among equals: kinds, then their parts, then fields; in each of
   * these stable versions, and then what more kinds have. Nobody writes a status or a
   * list, so those come after their likes.
   */
  function weigh(type, isField) {
    const [name, path, isKind, reach] = type;
    const role = isField ? 1 : isKind && !name.endsWith("List") ? 5 : 2;
    const level = LEVELS[/\/v\d+(alpha|beta)\d+\//.exec(path)?.[1]] ?? 1;
    const width = 1 + Math.min(Math.log2(1 + reach), 8) / 30;
    return role * level * width * (/(Status|List)$/.test(name) ? 0.8 : 1);
  }

  /** What types and fields have alike: what is shown of them, and what finds them. */
  function documentOf(name, path, text, release) {
    return {
      name, path, text, release,
      where: path.split("/").slice(0, -2).join("/"),
      whole: name.split(APART).join(""),
      first: wordsOf(name)[0] ?? "",
      words: keysOf(name),
    };
  }

  function typeDocument(type, release) {
    const [name, path, isKind, , text] = type;
    const common = documentOf(name, path, text, release);
    return {
      ...common,
      isField: false,
      role: isKind ? "kind" : "part",
      initials: isKind ? initialsOf(name) : "",
      around: common.where,
      weight: weigh(type, false),
    };
  }

  function fieldDocument(field, type, release) {
    const [, name, shownType, text] = field;
    const [owner, path] = type;
    const common = documentOf(name, path, text, release);
    return {
      ...common,
      isField: true,
      owner,
      type: shownType,
      around: `${common.where} ${keysOf(owner)}`,
      weight: weigh(type, true),
    };
  }

  /** All of a payload, but what the page's own release has as well. */
  function documentsOf(payload, known) {
    const release = (item, at) => payload.release || item[at];
    const documents = [];
    for (const type of payload.types) {
      if (!known.has(type[1])) documents.push(typeDocument(type, release(type, 5)));
    }
    for (const field of payload.fields) {
      const type = payload.types[field[0]];
      if (known.has(`${type[1]}#${field[1]}`)) continue;
      documents.push(fieldDocument(field, type, release(field, 4)));
    }
    return documents.map((each, id) => ({ ...each, id }));
  }

  // ---------------------------------------------------------------------- indexes

  function index(fields, documents) {
    return new globalThis.MiniSearch({
      fields,
      tokenize: tokens,
      processTerm: (term) => term, // tokens() did it
      searchOptions: {
        combineWith: "AND",
        boostDocument: (id) => documents[id].weight,
      },
    });
  }

  const NAMES = ["whole", "initials", "first", "words"];
  const BOOST = { whole: 4, initials: 4, first: 4, words: 2, around: 0.5 };
  const isLong = (term) => term.length > 2;

  /**
   * Each pass adds what those before it did not find, behind what they found. A joined
   * one takes all words as one: "image pull policy" is imagePullPolicy.
   */
  const PASSES = [
    { of: "names", options: { fields: ["whole", "initials", "around"] } },
    { of: "names", options: { fields: ["whole", "words"] }, isJoined: true },
    { of: "names", options: { fields: ["first", "words", "around"] } },
    { of: "names", options: { fields: ["whole", "around"], prefix: true } },
    { of: "names", options: { fields: ["first", "words", "around"], prefix: true } },
    {
      of: "names",
      options: { prefix: true, fuzzy: (term) => isLong(term) && 0.2 },
      isLastResort: true,
    },
    { of: "texts", options: { prefix: isLong } }, // names included: words of both
  ];

  /** Around it are group, version and owner, of which alone nothing is an answer. */
  function isNamed(hit) {
    return Object.values(hit.match).some((fields) => fields.some((f) => NAMES.includes(f)));
  }

  const SLICE = 100; // documents at once: a few milliseconds, so that typing goes on

  class Pool {
    constructor(documents, limit) {
      this.documents = documents;
      this.limit = limit;
      this.names = index([...NAMES, "around"], documents);
      this.texts = index([...NAMES, "around", "text"], documents);
    }

    async fill() {
      await this.names.addAllAsync(this.documents, { chunkSize: SLICE });
      refresh();
      await this.texts.addAllAsync(this.documents, { chunkSize: SLICE });
      refresh();
    }

    search(query, pass) {
      const filter = pass.of === "names" ? isNamed : undefined;
      const words = pass.isJoined ? tokens(query).join("") : query;
      return this[pass.of].search(words, { boost: BOOST, filter, ...pass.options });
    }
  }

  const pools = [];

  /**
   * The documents that answer a query, the best first, the page's release before all,
   * and whether these are all that do.
   */
  function answers(query) {
    const found = pools.map(() => new Map());
    for (const pass of PASSES) {
      if (pass.isLastResort && found.some((each) => each.size)) continue;
      for (const [at, pool] of pools.entries()) {
        if (found[at].size >= pool.limit) continue;
        for (const hit of pool.search(query, pass)) {
          if (found[at].size >= pool.limit) break;
          if (!found[at].has(hit.id)) found[at].set(hit.id, hit.terms);
        }
      }
    }
    return {
      best: pools.flatMap((pool, at) =>
        [...found[at]].map(([id, terms]) => ({ ...pool.documents[id], terms })),
      ),
      isAll: pools.every((pool, at) => found[at].size < pool.limit),
    };
  }

  // ----------------------------------------------------------------------- rows

  const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

  /** Text with the words that were found in <mark>. */
  function marked(text, words) {
    const parts = document.createDocumentFragment();
    if (!words.length) {
      parts.append(text);
      return parts;
    }
    const longest = [...words].sort((a, b) => b.length - a.length).map(quoted);
    for (const [at, part] of text.split(new RegExp(`(${longest.join("|")})`, "iu")).entries()) {
      if (at % 2) {
        const mark = document.createElement("mark");
        mark.textContent = part;
        parts.append(mark);
      } else if (part) parts.append(part);
    }
    return parts;
  }

  const BEFORE = 60, SNIPPET = 180;

  /** The part of a description that has the first of the words. */
  function snippet(text, words) {
    const at = words.length ? text.search(new RegExp(words.map(quoted).join("|"), "iu")) : -1;
    if (at <= BEFORE) return text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
    const start = text.indexOf(" ", at - BEFORE) + 1 || at;
    const end = start + SNIPPET;
    return `…${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  }

  function row(answer, number, query) {
    const template = document.getElementById(answer.isField ? "found-field" : "found-type");
    const option = template.content.firstElementChild.cloneNode(true);
    const typed = tokens(query);
    const inText = [...new Set([...typed, ...answer.terms])].filter(isLong);
    const shown = {
      ...answer,
      owner: answer.owner && `${answer.owner}.`,
      release: answer.release === ownRelease ? "" : answer.release,
      text: snippet(answer.text, inText),
    };
    const name = answer.name.toLowerCase();
    const inName = typed.some((word) => name.includes(word)) ? typed : answer.terms;
    const words = { name: inName, owner: typed.filter(isLong), text: inText };
    for (const place of option.querySelectorAll("[data-fill]")) {
      const what = place.dataset.fill;
      if (shown[what]) place.append(marked(shown[what], words[what] ?? []));
      else place.remove();
    }
    option.id = `found-${number}`;
    const fragment = answer.isField ? `#${encodeURIComponent(answer.name)}` : "";
    option.setAttribute("href", address(`${root}${answer.release}/${answer.path}${fragment}`));
    return option;
  }

  // -------------------------------------------------------------------- the box

  const dialog = document.getElementById("search");
  const box = dialog.querySelector("input");
  const list = document.getElementById("found");
  const count = document.getElementById("search-count");
  let awaited = ownRelease ? 2 : 1; // what has still to be read
  let hasFailed = false;

  function activate(option) {
    for (const each of list.querySelectorAll("[aria-selected=true]")) {
      each.setAttribute("aria-selected", "false");
    }
    if (!option) {
      box.removeAttribute("aria-activedescendant");
      return;
    }
    option.setAttribute("aria-selected", "true");
    box.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function counted(number, isAll) {
    if (hasFailed && !number) return "The search index could not be loaded.";
    if (awaited > 0 && !number) return "Reading the index…";
    if (!isAll) return `The best ${number} results`;
    return number === 1 ? "1 result" : `${number || "No"} results`;
  }

  let shownFor = "";

  /** Ask again: something was typed, or more of the index has come. */
  function refresh() {
    const query = box.value.trim();
    const { best, isAll } = query ? answers(query) : { best: [], isAll: true };
    const isSame = query === shownFor;
    const chosen = list.querySelector("[aria-selected=true]")?.getAttribute("href");
    list.replaceChildren(...best.map((each, number) => row(each, number, query)));
    box.setAttribute("aria-expanded", String(best.length > 0));
    count.textContent = query ? counted(best.length, isAll) : "";
    const again = [...list.children].find((each) => each.getAttribute("href") === chosen);
    activate((isSame && again) || list.firstElementChild);
    if (!isSame) list.scrollTop = 0;
    shownFor = query;
  }

  box.addEventListener("input", refresh);

  box.addEventListener("keydown", (event) => {
    const options = [...list.children];
    const at = options.findIndex((each) => each.id === box.getAttribute("aria-activedescendant"));
    const last = options.length - 1;
    const moves = {
      ArrowDown: at < last ? at + 1 : 0,
      ArrowUp: at > 0 ? at - 1 : last,
      Home: 0,
      End: last,
    };
    if (!options.length || event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      options[at]?.click();
    } else if (event.key in moves && !event.shiftKey) {
      event.preventDefault();
      activate(options[moves[event.key]]);
    }
  });

  list.addEventListener("click", (event) => {
    // A new tab leaves the search as it is.
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  });
  document.getElementById("search-close").addEventListener("click", () => dialog.close());

  function arrived() {
    awaited -= 1;
    list.setAttribute("aria-busy", String(awaited > 0));
    refresh();
  }

  addEventListener("search-failed", () => {
    hasFailed = true;
    arrived();
  });

  // ------------------------------------------------------------------------ data

  const known = new Set();
  let reading = Promise.resolve(); // one after the other, the page's release first

  /** What search.js and elsewhere.js call with what they bring. */
  globalThis.kubestencilIndex = (payload) => {
    const isOwn = payload.release === ownRelease;
    const documents = documentsOf(payload, known);
    if (isOwn) {
      for (const each of documents) {
        known.add(each.isField ? `${each.path}#${each.name}` : each.path);
      }
    }
    const pool = new Pool(documents, isOwn ? 40 : 10);
    pools.push(pool);
    reading = reading.then(() => pool.fill()).then(arrived);
  };

  refresh();
})();

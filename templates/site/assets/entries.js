"use strict";
// The types, fields and API versions that the search (rank.js) can find, how their names match
// a word, and the order of what matches equally well.
(() => {
  const CAMEL_WORD =
    /\p{Lu}+s?(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}|[^\p{Lu}\p{Ll}]+/gu;
  const SEPARATOR = /[^\p{L}\p{N}]+/u;

  /** The text in lower case, without separators: image-pull-policy, imagePullPolicy. */
  const joined = (text) => text.toLowerCase().split(SEPARATOR).join("");

  const PLAIN = /^[A-Za-z0-9]+$/; // most names

  function wordsOf(name) {
    const parts = PLAIN.test(name) ? [name] : name.split(SEPARATOR);
    return parts.flatMap((part) => part.match(CAMEL_WORD) ?? []).map((word) => word.toLowerCase());
  }

  const ENDING = /(?<=\p{L}{4})(?:ies|y)$|(?<=\p{L}{3})(?:ing|ed|es|s|e)$/u;
  const DOUBLED = /([bdgmnprt])\1$/u; // running, stopped

  const SHORT = { maximum: "max", minimum: "min" }; // as names have them
  const stemOf = (word) => SHORT[word] ?? word.replace(ENDING, "").replace(DOUBLED, "$1");

  /** What words of a question ask for: by what each is about, "" for nothing. */
  const createWords = (words = {}) => new Map(Object.entries(words).map(([about, list]) => [about, new Set(list)]));

  /** The words of a question without those that ask for nothing, and without endings. */
  function contentOf(text, words) {
    const all = text.toLowerCase().split(SEPARATOR).filter(Boolean);
    const content = all.filter((word) => !words.get("")?.has(word));
    return (content.length ? content : all).slice(0, 20).map((word) => ({ word, stem: stemOf(word) }));
  }

  // ----------------------------------------------------------------------- distance

  /** The number of typing mistakes between two words, up to a limit, which is exceeded by 1. */
  function distance(a, b, limit) {
    if (Math.abs(a.length - b.length) > limit) return limit + 1;
    let beforePrevious, previous = Array.from({ length: b.length + 1 }, (_, index) => index);
    for (let row = 1; row <= a.length; row++) {
      const current = [row];
      for (let column = 1; column <= b.length; column++) {
        const cost = a[row - 1] === b[column - 1] ? 0 : 1;
        let best = Math.min(
          previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost,
        );
        const isSwapped =
          row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
        if (isSwapped) best = Math.min(best, beforePrevious[column - 2] + 1);
        current.push(best);
      }
      if (Math.min(...current) > limit) return limit + 1;
      [beforePrevious, previous] = [previous, current];
    }
    return previous[b.length];
  }

  // -------------------------------------------------------------------------- names

  /**
   * What queries are compared with. "endings" is the rest of the name from its second, third
   * word on: livenessProbe has probe; "initials" of HorizontalPodAutoscaler are hpa.
   */
  function createName(text) {
    const words = wordsOf(text);
    return {
      text, words,
      lower: text.toLowerCase(),
      joined: words.join(""),
      endings: words.map((_, index) => words.slice(index).join("")).slice(1),
      initials: words.length > 1 ? words.map((word) => word[0]).join("") : "",
      entries: [], // the types and fields with this name
    };
  }

  const MATCH = { exact: 0, gap: 1, prefix: 2, ending: 3, inside: 4, words: 5, text: 6 };
  const ROLE = { kind: 0, version: 1, other: 2, status: 3 };

  /** How a name matches words without separators; undefined where it does not. */
  function matchName(name, term) {
    if (name.joined === term) return MATCH.exact;
    if (name.joined.startsWith(term)) return MATCH.prefix;
    if (name.endings.includes(term)) return MATCH.ending;
    return name.endings.some((ending) => ending.startsWith(term)) ? MATCH.inside : undefined;
  }

  /**
   * How the other names of a kind match: those of its resource, and the initials. "detail"
   * says which names of equal matches come first.
   */
  function matchResource(type, term) {
    if (type.resourceNames.includes(term)) return { match: MATCH.exact, detail: 1 };
    if (type.isKind && type.name.initials === term) return { match: MATCH.exact, detail: 2 };
    const isPrefix = type.resourceNames.some((name) => name.startsWith(term));
    return isPrefix ? { match: MATCH.prefix, detail: 1 } : undefined;
  }

  // ------------------------------------------------------------------------ entries

  const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
  const LEVELS = { alpha: 2, beta: 1 };

  /** The names by which a query can say which group and version is meant: apps, appsv1. */
  function createApiVersion(text) {
    const [group, version] = text.split("/");
    const parts = group.toLowerCase().split(".");
    const words = new Set([...parts, group, version, parts[0] + version].map(joined));
    const [, major = 0, level, number = 0] = VERSION.exec(version) ?? [];
    return { text, group, version, words, level: LEVELS[level] ?? 0, major, number };
  }

  /** API versions with their order: stable first, of a group the newest. */
  function createApiVersions(texts) {
    const versions = texts.map(createApiVersion);
    const order = (a, b) => a.level - b.level || b.major - a.major || b.number - a.number;
    const groups = new Map();
    for (const version of [...versions].sort(order)) {
      const position = groups.get(version.group) ?? 0;
      groups.set(version.group, position + 1);
      const isFirstGroup = ["core", "apps", "batch"].includes(version.group);
      // Levels, then groups, then the versions of one group: API_VERSIONS in all.
      version.order = (version.level * 2 + (isFirstGroup ? 0 : 1)) * 100 + Math.min(position, 99);
    }
    return versions;
  }

  function createType(item, pool) {
    const [name, apiVersion, isKind, kindCount, usage, names, fields, release] = item;
    const type = {
      isField: false,
      parents: [], // the types that refer to it, and their fields that do
      name: pool.nameOf(name),
      api: pool.apiVersions[apiVersion],
      isKind: isKind === 1 && !name.endsWith("List"),
      role: isKind ? "kind" : "type",
      kindCount, usage,
      resourceNames: names ? names.split(" ").map(joined) : [],
      release: release || pool.release,
    };
    type.path = name && `${type.api.text}/${name}/`; // empty inside of custom resources
    type.rank = type.isKind ? ROLE.kind : ROLE.other;
    if (/(Status|List)$/.test(name)) type.rank = ROLE.status;
    type.weight = weightOf(type, type);
    type.fields = fields.map((field) => createField(field, type, pool));
    return type;
  }

  function createField([name, label, reference = -1, usage = 0], type, pool) {
    const rank = type.rank === ROLE.status ? ROLE.status : ROLE.other;
    const [text, containers] = [pool.strings[name], pool.strings[label]];
    const field = { isField: true, name: pool.nameOf(text), type, label: containers, reference, usage, rank };
    field.weight = weightOf(field, type);
    return field;
  }

  /** What other words than its name mean: a kind, a field by its path, or a part of the page. */
  function createAlias(type, [, path, words, note], pool) {
    const fields = [];
    let owner = type;
    for (const name of path && !path.startsWith("#") ? path.split(".") : []) {
      const field = owner.fields.find((field) => field.name.text === name);
      if (!field) return []; // deep inside of a large catalogue
      fields.push(field);
      owner = pool.types[field.reference];
    }
    const phrases = words.split(", ").map((text) => ({
      words: contentOf(text, pool.words).map(({ stem }) => stem), joined: joined(text),
      withKind: text.endsWith(" *"),
    }));
    return [{ entry: fields.at(-1) ?? type, route: { type, fields }, fragment: fields.length ? "" : path, note, phrases }];
  }

  /** The path of a type's page, or of the field at the end of a route from it. */
  function pathOf({ type, fields }) {
    const path = fields.map(({ name }) => encodeURIComponent(name.text)).join(".");
    return path ? `${type.path}#${path}` : type.path;
  }

  // How many there are of each number in a score; what is more counts as the largest.
  const USAGE = 16, API_VERSIONS = 600, KINDS = 16, LENGTH = 64;
  const WEIGHTS = USAGE * API_VERSIONS * 2 * KINDS * LENGTH;

  /** The order of what matches equally well: what people use first, then the stable versions. */
  function weightOf({ name, usage, isField }, { api, kindCount }) {
    const usageOrder = Math.max(USAGE - 1 - usage, 0);
    const kindOrder = Math.max(KINDS - 1 - kindCount, 0);
    const length = Math.min(name.text.length, LENGTH - 1);
    const versionOrder = usageOrder * API_VERSIONS + api.order;
    return ((versionOrder * 2 + (isField ? 1 : 0)) * KINDS + kindOrder) * LENGTH + length;
  }

  /** The position of a result as a number; the smallest is the best. */
  function scoreOf(entry, match, detail = 0, wantsCase = "") {
    const hasOtherCase = wantsCase && entry.name.text !== wantsCase ? 1 : 0;
    const level = (match * 4 + entry.rank) * 2 + hasOtherCase;
    return (level * 10 + Math.min(detail, 9)) * WEIGHTS + entry.weight;
  }

  globalThis.kubestencilSearch = {
    MATCH, ROLE, SEPARATOR, VERSION,
    contentOf, createAlias, createApiVersions, createName, createType, createWords, distance, joined,
    matchName, matchResource, pathOf, scoreOf, weightOf,
  };
})();

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

  // Words that say nothing about what is asked.
  const FILLERS = new Set(
    ("a an the of in on at to for from by with and or is are be do does can i my me we you your how " +
    "what why when where which it its this that set use using get make change add configure " +
    "kubernetes k8s yaml some so nobody somebody see than but must should want need there was were " +
    "has have had could would will then them they just also").split(" "),
  );
  const ENDING = /(?<=\p{L}{4})(?:ies|y)$|(?<=\p{L}{3})(?:ing|ed|es|s|e)$/u;
  const DOUBLED = /([bdgmnprt])\1$/u; // running, stopped

  const SHORT = { maximum: "max", minimum: "min" }; // as names have them

  /** The words of a question without fillers and endings: taint for "how do I add taints". */
  function contentOf(text) {
    const words = text.toLowerCase().split(SEPARATOR).filter(Boolean);
    const content = words.filter((word) => !FILLERS.has(word));
    const stemOf = (word) => SHORT[word] ?? word.replace(ENDING, "").replace(DOUBLED, "$1");
    return (content.length ? content : words).slice(0, 20).map(stemOf);
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
    const [name, apiVersion, isKind, kindCount, usage, names, fields, release, place] = item;
    const type = {
      isField: false,
      name: pool.nameOf(name),
      api: pool.apiVersions[apiVersion],
      isKind: isKind === 1 && !name.endsWith("List"),
      role: isKind ? "kind" : "type",
      kindCount, usage,
      resourceNames: names ? names.split(" ").map(joined) : [],
      release: release || pool.release,
    };
    // The fields of an object inside of a custom resource are on the page of its kind.
    const [page, path] = place ?? [name, ""];
    type.path = `${type.api.text}/${page}/${path && `#${encodeURIComponent(path)}`}`;
    type.rank = type.isKind ? ROLE.kind : ROLE.other;
    if (/(Status|List)$/.test(name)) type.rank = ROLE.status;
    type.weight = weightOf(type, type);
    type.fields = fields.map((field) => createField(field, type, pool));
    return type;
  }

  function createField([name, label, reference = -1, usage = 0], type, pool) {
    const rank = type.rank === ROLE.status ? ROLE.status : ROLE.other;
    const field = { isField: true, name: pool.nameOf(name), type, label, reference, usage, rank };
    field.weight = weightOf(field, type);
    return field;
  }

  /** What other words than its name mean: a kind, a field by its path, or a part of the page. */
  function createAlias([position, path, words, note], pool) {
    const type = pool.types[position];
    const fields = [];
    let owner = type;
    for (const name of path && !path.startsWith("#") ? path.split(".") : []) {
      fields.push(owner.fields.find((field) => field.name.text === name));
      owner = pool.types[fields.at(-1).reference];
    }
    return {
      note,
      entry: fields.at(-1) ?? type,
      fields: fields.length ? fields : [type],
      path: fields.length ? pathOf(type, fields) : type.path + path,
      phrases: words.split(", ").map((text) => ({ words: contentOf(text), joined: joined(text) })),
    };
  }

  /** The path of a type's page, or of a field on it, in the folder of the release. */
  function pathOf(entry, fields = entry.isField ? [entry] : []) {
    const type = entry.isField ? entry.type : entry;
    const path = fields.map(({ name }) => encodeURIComponent(name.text)).join(".");
    return path ? type.path + (type.path.includes("#") ? "." : "#") + path : type.path;
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
    contentOf, createAlias, createApiVersions, createName, createType, joined, matchName,
    matchResource, pathOf, scoreOf, weightOf,
  };
})();

"use strict";
// Which types, fields and API versions a query or a question finds, best first. Without a page:
// tests run it in Node.js. A query is compared with each name; there is no index to build, so
// that results are there once search.js is.
(() => {
  const {
    MATCH, ROLE, SEPARATOR, VERSION,
    contentOf, createAlias, createApiVersions, createName, createType, joined, matchName,
    matchResource, pathOf, scoreOf, weightOf,
  } = globalThis.kubestencilSearch;

  // -------------------------------------------------------------------------- query

  // How code and documents write the full name of a definition before its group.
  const PACKAGE =
    /^(#?\/?(definitions|components\/schemas)\/)?((io\.k8s|k8s\.io)[./].*?\b(api|apis|util)[./])?/i;
  const INDEX = /^(\d+|-|\*)$/; // of a list, in paths

  function parseQuery(text) {
    const query = text.trim().replace(PACKAGE, "");
    const isWord = (piece) => joined(piece) && !INDEX.test(piece);
    const pieces = query.split(/[\s./:,;"'`()[\]{}]+/u).filter(isWord);
    return {
      lower: query.toLowerCase(),
      pieces,
      terms: pieces.map(joined),
      isPath: /[\p{L}\p{N}][./\]]/u.test(query),
      wantsCase: /\p{Lu}/u.test(query) ? query : "",
    };
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

  // --------------------------------------------------------------------------- pool

  // What counts beside the words: use by people, by its logarithm; unstable versions; statuses.
  const USED = 0.01, UNSTABLE = 0.05, STATUS = 0.1, OUTDATED = 0.2;
  const DEPRECATED = /^.{0,80}\bdeprecated\b/iu;
  const RELATED = 0.3; // of the best result, what is shown at all
  const MAX_KINDS = 2; // that a type is part of, to belong to them
  const MAX_STEPS = 10; // between a kind and a field that is named without the path to it

  /** The types and fields of one index. */
  class Pool {
    constructor(payload) {
      this.names = new Map();
      this.texts = [];
      this.aliases = [];
      this.release = payload.release;
      this.apiVersions = createApiVersions(payload.apiVersions);
      this.types = payload.types.map((item) => createType(item, this));
      this.entries = this.types.flatMap((type) => [type, ...type.fields]);
      for (const entry of this.entries) entry.name.entries.push(entry);
      this.typesByTerm = new Map();
      for (const type of this.types) {
        const terms = [type.name.joined, ...type.resourceNames];
        if (type.isKind) terms.push(type.name.initials);
        for (const term of new Set(terms)) {
          if (!this.typesByTerm.has(term)) this.typesByTerm.set(term, []);
          this.typesByTerm.get(term).push(type);
        }
      }
      this.typesByField = new Map();
      for (const type of this.types) {
        for (const { name } of type.fields) {
          if (!this.typesByField.has(name.joined)) this.typesByField.set(name.joined, new Set());
          this.typesByField.get(name.joined).add(type);
        }
      }
    }

    nameOf(text) {
      if (!this.names.has(text)) this.names.set(text, createName(text));
      return this.names.get(text);
    }

    /** Add the descriptions, other words and values, which come later than the names. */
    setTexts({ texts, positions, aliases = [], answers = [] }) {
      this.texts = texts;
      this.entries.forEach((entry, index) => (entry.text = positions[index]));
      this.aliases = aliases.map((item) => createAlias(item, this));
      for (const [index, standard, values, added] of answers) {
        const names = values.map((value) => this.nameOf(value));
        this.entries[index].answer = { standard, values, added, names };
      }
    }

    /** Whether the index has a type or a field of a type, by the path of its page. */
    has(path) {
      this.paths ??= new Set(this.entries.map((entry) => pathOf(entry)));
      return this.paths.has(path);
    }

    /** The type of a field as text: []Container. */
    labelOf({ label, reference }) {
      return reference >= 0 ? label + this.types[reference].name.text : label;
    }

    textOf(entry) {
      return this.texts[entry.text] ?? "";
    }

    /** Call "add" with what matches a query by name: the entry, the path, the score. */
    findByName(query, add) {
      this.findNames(query, add);
      this.findApiVersions(query, add);
      if (query.terms.length > 1) {
        this.findQualified(query, add);
        this.findPaths(query, add);
        this.findWords(query, add);
      }
    }

    findNames({ terms, lower, isPath, wantsCase }, add) {
      const term = terms.join(""), compact = lower.replace(/[\s_-]+/g, "");
      // PodSpec is less than the field spec of a Pod for somebody who wrote pod.spec.
      const path = isPath && terms.length > 1 ? 5 : 0;
      for (const name of this.names.values()) {
        const match = matchName(name, term);
        if (match === undefined) continue;
        const detail = path + (match === MATCH.exact && name.lower !== compact ? 1 : 0);
        for (const entry of name.entries) {
          // Of the beginnings of names, only those that are in use come before other parts.
          const isRare = match === MATCH.prefix && !entry.usage && entry.rank !== ROLE.kind;
          const level = isRare ? MATCH.inside : match;
          add(entry, pathOf(entry), scoreOf(entry, level, detail, wantsCase));
        }
      }
      for (const type of this.types) {
        const other = matchResource(type, term);
        if (other) add(type, type.path, scoreOf(type, other.match, other.detail + path, wantsCase));
      }
    }

    findApiVersions({ lower, terms }, add) {
      // The index of other releases says nothing of their pages of groups and versions.
      for (const api of this.release ? this.apiVersions : []) {
        const groupTerm = joined(api.group);
        const isGroup = [api.group, api.group.split(".")[0]].includes(lower);
        const isVersion = [api.text, `${api.group.split(".")[0]}/${api.version}`].includes(lower);
        const isStart = terms.length === 1 && lower.length > 2 && groupTerm.startsWith(terms[0]);
        if (!isGroup && !isVersion && !isStart) continue;
        const text = isVersion ? api.text : api.group;
        const entry = {
          isField: false, name: createName(text), api, role: "API", release: this.release,
          rank: ROLE.version, usage: 0, kindCount: 0,
        };
        entry.weight = weightOf(entry, entry);
        const isWhole = isGroup || isVersion;
        add(entry, `${text}/`, scoreOf(entry, isWhole ? MATCH.exact : MATCH.prefix));
        for (const type of isWhole ? this.types : []) {
          if (type.api === api && type.isKind) add(type, type.path, scoreOf(type, MATCH.gap));
        }
      }
    }

    /**
     * A type with its group or version before or behind it, and a path or the name of a field
     * from it: apps/v1 Deployment, deployments.v1.apps, pod.spec.containers, pod image.
     */
    findQualified({ terms, isPath }, add) {
      for (let start = 0; start < terms.length; start++) {
        for (let end = start + 1; end <= Math.min(terms.length, start + 6); end++) {
          for (const type of this.typesByTerm.get(terms.slice(start, end).join("")) ?? []) {
            const before = terms.slice(0, start), behind = terms.slice(end);
            const isApiVersion = (words) => words.every((word) => type.api.words.has(word));
            if (isApiVersion(before) && isApiVersion(behind)) {
              if (before.length + behind.length) add(type, type.path, scoreOf(type, MATCH.exact));
            } else if (isApiVersion(before)) {
              this.addFields(type, behind, isPath, add);
            } else if (isApiVersion(behind)) this.addFields(type, before, isPath, add, 1);
            else if (VERSION.test(before.at(-1)) && !behind.length) {
              add(type, type.path, scoreOf(type, MATCH.gap)); // of a group that is unknown
            }
          }
        }
      }
    }

    addFields(type, terms, isPath, add, detail = 0) {
      for (const { fields, gaps, isPrefix } of this.resolve(type, terms, true)) {
        const field = fields.at(-1);
        const match = isPrefix ? MATCH.prefix : gaps ? MATCH.gap : MATCH.exact;
        const entry = isPath ? { ...field, rank: type.rank } : field;
        add(field, pathOf(type, fields), scoreOf(entry, match, detail + gaps), fields);
      }
    }

    /**
     * A path from a field of any type. What all kinds have, such as metadata, is shown in its
     * own type, another path in the kinds and then in the types inside of them.
     */
    findPaths({ terms, isPath }, add) {
      const owners = [...(this.typesByField.get(terms[0]) ?? [])];
      const kindCounts = new Map();
      for (const type of owners.filter(({ isKind }) => isKind)) {
        const { reference } = type.fields.find(({ name }) => name.joined === terms[0]);
        kindCounts.set(reference, (kindCounts.get(reference) ?? 0) + 1);
      }
      for (const type of owners) {
        for (const { fields, isPrefix } of this.resolve(type, terms, false)) {
          const field = fields.at(-1);
          const match = isPrefix ? MATCH.prefix : isPath ? MATCH.exact : MATCH.gap;
          const isShared = kindCounts.get(fields[0].reference) > 9;
          add(field, pathOf(field), scoreOf(field, match, isShared ? 0 : 3));
          if (type.isKind && !isShared) {
            add(field, pathOf(type, fields), scoreOf(type, match), fields);
          } else if (!type.isKind) add(field, pathOf(type, fields), scoreOf(field, match, 2), fields);
        }
      }
    }

    /**
     * The fields that a path leads to from a type. Where gaps are allowed, levels can be left
     * out, and each term is the nearest field with that name.
     */
    resolve(type, terms, allowsGaps) {
      let paths = [{ type, fields: [], gaps: 0 }];
      for (const [index, term] of terms.entries()) {
        paths = paths.flatMap((path) => {
          const next = this.nearest(path.type, term, allowsGaps);
          if (next.length || index < terms.length - 1) return next.map((step) => extended(path, step));
          const fields = path.type?.fields.filter(({ name }) => name.joined.startsWith(term)) ?? [];
          return fields.map((field) => ({ ...extended(path, [field]), isPrefix: true }));
        });
        paths = paths.map((path) => ({ ...path, type: this.types[path.fields.at(-1).reference] }));
      }
      return paths;
    }

    /** The paths from a type to the nearest fields with a name. */
    nearest(type, term, allowsGaps) {
      let level = type ? [{ type, fields: [] }] : [];
      const visited = new Set();
      for (let step = 0; step < (allowsGaps ? MAX_STEPS : 1); step++) {
        const inner = [], matches = [];
        for (const { type: owner, fields } of level) {
          if (visited.has(owner)) continue;
          visited.add(owner);
          for (const field of owner.fields) {
            const path = [...fields, field];
            if (field.name.joined === term) matches.push(path);
            const next = this.types[field.reference];
            if (next && next.name.text !== "ObjectMeta") inner.push({ type: next, fields: path });
          }
        }
        if (matches.length) return matches;
        level = inner;
      }
      return [];
    }

    /** Types and fields of which each word of the query is a part of the name, or says whose. */
    findWords({ terms }, add) {
      const termsIn = new Map();
      for (const name of this.names.values()) {
        termsIn.set(name, terms.filter((term) => matchName(name, term) !== undefined));
      }
      for (const [name, inName] of termsIn) {
        for (const entry of inName.length ? name.entries : []) {
          const type = entry.type ?? entry;
          const inOwner = entry.isField ? termsIn.get(type.name) : [];
          const isCovered = (term) =>
            inName.includes(term) || inOwner.includes(term) || type.api.words.has(term);
          if (terms.every(isCovered)) {
            add(entry, pathOf(entry), scoreOf(entry, MATCH.words, terms.length - inName.length));
          }
        }
      }
    }

    /** Kinds and fields that other words of people, feature gates and removed kinds mean. */
    findAliases({ lower }, add) {
      const terms = contentOf(lower), whole = joined(lower);
      if (this.apiVersions.some(({ words }) => words.has(whole))) return;
      for (const { entry, fields, path, note, phrases } of this.aliases) {
        const said = phrases.filter((phrase) => phrase.words.every((word) => terms.includes(word)));
        const covered = new Set(said.flatMap(({ words }) => words));
        const isWhole = phrases.some((phrase) => phrase.joined === whole);
        if (!isWhole && covered.size < new Set(terms).size) continue;
        // A kind or a group of this name comes first.
        const score = scoreOf({ ...entry, rank: ROLE.other }, MATCH.exact, 9);
        add(entry, path, score, fields, note);
      }
    }

    /**
     * What has the words of a question in its name, that of its type, its values and its
     * description, or is meant by them. Rare words count more. What has only some of them is
     * found in the page's release, after what has more; not where a path is asked for.
     */
    findRelated({ lower, isPath }, add) {
      const terms = contentOf(lower);
      if (terms.join("").length < 3) return;
      const all = 2 ** terms.length - 1, isAddress = isPath && !lower.includes(" ");
      const maskOf = (has) =>
        terms.reduce((mask, term, index) => mask + (has(term, index) ? 2 ** index : 0), 0);
      this.prepareTexts();
      const patterns = terms.map((term) => new RegExp(`(?<![\\p{L}\\p{N}])${term}`, "u"));
      const inTexts = this.lowerTexts.map((text) =>
        maskOf((term, index) => text.includes(term) && patterns[index].test(text)),
      );
      const inNames = new Map();
      for (const name of this.names.values()) {
        inNames.set(name, maskOf((term) => matchName(name, term) !== undefined));
      }
      // pdb and NetworkPolicy say whose a field of PodDisruptionBudgetSpec and of IPBlock is.
      this.kindsByType ??= this.findKinds();
      const inKinds = new Map();
      for (const [type, kinds] of this.kindsByType) {
        const isNamed = (term) => kinds.some((kind) => namesKind(kind, term));
        inKinds.set(type, kinds.length > MAX_KINDS ? 0 : maskOf(isNamed));
      }
      const inAny = (names) => names.reduce((mask, name) => mask | (inNames.get(name) ?? 0), 0);
      const masksOf = (entry, fields = [entry]) => [
        [1, inNames.get(entry.name)],
        [0.8, inAny(entry.answer?.names ?? [])],
        [0.6, inAny([entry.type, fields[0].type, ...fields].map((owner) => owner?.name))],
        [0.45, inKinds.get(entry.type ?? entry) ?? 0],
        [this.textWeights[entry.text] ?? 0, inTexts[entry.text] ?? 0],
      ];
      const candidates = [], counts = terms.map(() => 0);
      const addCandidate = (entry, masks, rest) => {
        const covered = masks.reduce((mask, [, part]) => mask | part, 0);
        if (covered) candidates.push({ entry, masks, covered, ...rest });
      };
      for (const entry of this.entries) addCandidate(entry, masksOf(entry));
      for (const { covered } of candidates) {
        for (const index of terms.keys()) counts[index] += covered & (2 ** index) ? 1 : 0;
      }
      for (const { entry, fields, path, note, phrases } of this.aliases) {
        const said = phrases.filter(({ words }) => words.every((word) => terms.includes(word)));
        if (!said.length) continue;
        const meant = maskOf((term) => said.some(({ words }) => words.includes(term)));
        addCandidate(entry, [[1.2, meant], ...masksOf(entry, fields)], { fields, path, note });
      }
      const rarity = counts.map((count) => Math.log(1 + this.entries.length / (1 + count)));
      const total = rarity.reduce((sum, weight) => sum + weight, 0);
      let best = 0;
      for (const candidate of candidates) {
        const { entry, masks, covered } = candidate;
        if ((isAddress || !this.release) && covered !== all) continue;
        const weightOfTerm = (index) => masks.find(([, mask]) => mask & (2 ** index))?.[0] ?? 0;
        const sumOf = (factorOf) =>
          rarity.reduce((sum, weight, index) => sum + weight * factorOf(index), 0) / total;
        const share = sumOf((index) => (covered & (2 ** index) ? 1 : 0));
        const { level } = (entry.type ?? entry).api;
        const prior = entry.usage * USED - level * UNSTABLE -
          (entry.rank === ROLE.status ? STATUS : 0) -
          (this.isDeprecated[entry.text] ? OUTDATED : 0);
        candidate.value = sumOf(weightOfTerm) * share + prior;
        best = Math.max(best, candidate.value);
      }
      for (const { entry, fields, path = pathOf(entry), note, value } of candidates) {
        if (!(value >= best * RELATED)) continue;
        add(entry, path, scoreOf(entry, MATCH.text + Math.round((2 - value) * 100)), fields, note);
      }
    }

    /** The kinds that each type is, or is part of. */
    findKinds() {
      const kindsByType = new Map();
      for (const kind of this.types.filter(({ isKind }) => isKind)) {
        const parts = new Set([kind]);
        for (const { fields } of parts) {
          for (const { reference } of fields) if (reference >= 0) parts.add(this.types[reference]);
        }
        for (const part of parts) {
          if (!kindsByType.has(part)) kindsByType.set(part, []);
          kindsByType.get(part).push(kind);
        }
      }
      return kindsByType;
    }

    /** What the descriptions are compared by; a word says more in a short one than in a long one. */
    prepareTexts() {
      if (this.lowerTexts) return;
      this.lowerTexts = this.texts.map((text) => text.toLowerCase());
      this.isDeprecated = this.texts.map((text) => DEPRECATED.test(text));
      const average = this.texts.reduce((sum, { length }) => sum + length, 0) / this.texts.length;
      this.textWeights = this.texts.map(({ length }) => 1 / (1 + Math.min(length / average, 4)));
    }

    /** Whether a word is in a description, a value or another word for something. */
    hasWord(term) {
      this.prepareTexts();
      const [word] = contentOf(term);
      return this.lowerTexts.some((text) => text.includes(term)) ||
        this.aliases.some(({ phrases }) => phrases.some(({ words }) => words.includes(word))) ||
        this.entries.some(({ answer }) => answer?.names.some((name) => name.joined === term));
    }

    /** The query with words that are nowhere replaced by the most similar ones. */
    corrected(query) {
      const isKnown = (piece) => piece.toLowerCase().split(SEPARATOR).every((word) => this.hasWord(word));
      const pieces = query.pieces.map((piece) => (isKnown(piece) ? piece : this.similar(joined(piece))));
      const terms = pieces.map(joined);
      return { ...query, pieces, terms, lower: pieces.join(" ").toLowerCase(), wantsCase: "" };
    }

    similar(term) {
      const limit = term.length > 7 ? 2 : term.length > 3 ? 1 : 0;
      this.words ??= this.vocabulary();
      let best = term, bestRank = Infinity;
      for (const [word, usage] of limit ? this.words : []) {
        if (word.startsWith(term)) return term;
        const mistakes = distance(term, word, limit);
        const rank = mistakes * 100 - usage;
        if (mistakes <= limit && rank < bestRank) [best, bestRank] = [word, rank];
      }
      return best;
    }

    vocabulary() {
      const words = new Map();
      const add = (word, usage) => words.set(word, Math.max(words.get(word) ?? 0, usage));
      for (const { name, usage, resourceNames = [], isKind } of this.entries) {
        // Kinds weigh more: deploymnet is a Deployment.
        for (const word of [name.joined, ...resourceNames]) add(word, usage + (isKind ? 20 : 10));
        for (const word of name.words) add(word, usage);
      }
      return words;
    }
  }

  /** Whether a word is the kind's name, a word of it, or a name of its resource. */
  function namesKind(kind, term) {
    return matchName(kind.name, term) !== undefined ||
      matchResource(kind, term)?.match === MATCH.exact;
  }

  function extended(path, step) {
    return { fields: [...path.fields, ...step], gaps: path.gaps + step.length - 1 };
  }

  /** Collects results, each path once, with its best score. */
  class Results {
    constructor() {
      this.byPath = new Map();
      this.add = (entry, path, score, fields = [entry], note = "") => {
        const release = (entry.type ?? entry).release;
        const key = `${release} ${path}`;
        const result = this.byPath.get(key);
        if (result && result.score <= score) return;
        this.byPath.set(key, { entry, path, release, score, fields, note });
      };
    }

    get size() {
      return this.byPath.size;
    }

    sorted() {
      const order = (a, b) => a.score - b.score || (a.path < b.path ? -1 : 1);
      return [...this.byPath.values()].sort(order);
    }
  }

  /**
   * The results of a query in one index, best first. Where no name matches, the words may have
   * typing mistakes; what has only some of the words, or has them in its description, comes last.
   */
  function findResults(pool, text, limit) {
    let query = parseQuery(text);
    const results = new Results();
    if (!query.terms.length) return results.sorted();
    pool.findByName(query, results.add);
    pool.findAliases(query, results.add);
    if (!results.size) {
      query = pool.corrected(query);
      pool.findByName(query, results.add);
    }
    if (results.size < limit) pool.findRelated(query, results.add);
    return results.sorted();
  }

  Object.assign(globalThis.kubestencilSearch, { Pool, findResults });
})();

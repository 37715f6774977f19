"use strict";
// What the scripts of search_index.py bring of each release, and which types, fields and API
// versions a query or a question finds there, best first. Without a page: tests run it in
// Node.js. A query is compared with each name; there is no index to build, so that results are
// there once search.js is.
(() => {
  const {
    MATCH, ROLE, SEPARATOR, VERSION,
    contentOf, createAlias, createApiVersions, createName, createType, createWords, distance, joined,
    matchName, matchResource, pathOf, scoreOf, weightOf,
  } = globalThis.kubestencilSearch;

  // -------------------------------------------------------------------------- query

  // How code and documents write the full name of a definition before its group.
  const PACKAGE =
    /^(#?\/?(definitions|components\/schemas)\/)?((io\.k8s|k8s\.io)[./].*?\b(api|apis|util)[./])?/i;
  const INDEX = /^(\d+|-|\*)$/; // of a list, in paths

  const isWord = (piece) => joined(piece) && !INDEX.test(piece);

  function parseQuery(text) {
    const query = text.trim().replace(PACKAGE, "");
    const pieces = query.split(/[\s./:,;?!"'`()[\]{}]+/u).filter(isWord);
    return {
      pieces,
      lower: query.toLowerCase(),
      terms: pieces.map(joined),
      isPath: /[\p{L}\p{N}][./\]]/u.test(query),
      wantsCase: /\p{Lu}/u.test(query) ? query : "",
    };
  }

  /** The query with some pieces only. */
  const withPieces = (query, pieces) =>
    ({ ...query, pieces, terms: pieces.map(joined), lower: pieces.join(" ").toLowerCase(), wantsCase: "" });

  // --------------------------------------------------------------------------- pool

  // What counts beside the words: use by people, by its logarithm; unstable versions; statuses.
  const USED = 0.01, UNSTABLE = 0.05, STATUS = 0.1, OUTDATED = 0.2;
  const DEPRECATED = /^.{0,80}\bdeprecated\b/iu;
  const RELATED = 0.3; // of the best result, what is shown at all
  const MAX_KINDS = 2; // that a type is part of, to belong to them
  const MAX_STEPS = 10; // between a kind and a field that is named without the path to it
  const SHARED = 9; // kinds that refer to a type: what more have is shown on its own page
  const MAX_TWINS = 6; // other kinds with a field that a result names

  /** The types and fields of one index. */
  class Pool {
    constructor(payload) {
      this.names = new Map();
      this.texts = [];
      this.aliases = [];
      this.starters = new Map();
      this.isComplete = false; // whether there are descriptions and facts, too
      this.release = payload.release;
      this.isPartial = payload.isPartial; // whether it lacks some fields
      this.strings = payload.strings ?? [];
      this.words = createWords(payload.words);
      this.apiVersions = createApiVersions(payload.apiVersions);
      this.types = payload.types.map((item, index) => Object.assign(createType(item, this), { index }));
      this.entries = this.types.flatMap((type) => [type, ...type.fields]);
      for (const entry of this.entries) entry.name.entries.push(entry);
      this.typesByTerm = new Map();
      this.typesByField = new Map();
      const put = (map, term, type) => map.set(term, (map.get(term) ?? new Set()).add(type));
      for (const type of this.types) {
        const terms = [type.name.joined, ...type.resourceNames];
        if (type.isKind) terms.push(type.name.initials);
        for (const term of terms) if (term) put(this.typesByTerm, term, type);
        for (const field of type.fields) {
          put(this.typesByField, field.name.joined, type);
          this.types[field.reference]?.parents.push(field);
        }
      }
    }

    nameOf(text) {
      if (!this.names.has(text)) this.names.set(text, createName(text));
      return this.names.get(text);
    }

    /** Add what is known of names, which comes later than these. */
    setTexts({ texts, positions, phrases = [], known = [], facts = [], aliases = [], starters = [], formats = {} }) {
      Object.assign(this, { texts, formats, isComplete: true });
      let next = 0, last = -1;
      this.entries.forEach((entry, index) => (entry.text = positions[index] ? positions[index] - 1 : next++));
      const spelled = (numbers) => numbers.map((number) => ({ about: phrases[number][0], text: phrases[number][1] }));
      for (const [distance, number] of facts) {
        const [own, limits, others = {}] = known[number];
        const elsewhere = new Map(Object.entries(others).map(([name, [other, limits]]) => [name, { facts: spelled(other), limits }]));
        const values = (limits.only ?? []).map((value) => this.nameOf(value));
        Object.assign(this.entries[(last += distance)], { facts: spelled(own), limits, values, elsewhere });
      }
      for (const alias of aliases) {
        for (const type of alias[0]) this.aliases.push(...createAlias(this.types[type], alias, this));
      }
      this.starters = new Map(starters.map(([position, text]) => [this.types[position], text]));
    }

    /** Whether the index has a type or a field of a type, by the path of its page. */
    has(path) {
      this.paths ??= new Set(this.entries.map((entry) => pathOf(ownRoute(entry))));
      return this.paths.has(path);
    }

    /** The type of a field as text: list of Container. */
    labelOf({ label, reference }) {
      return reference >= 0 ? label + (this.types[reference].name.text || "object") : label;
    }

    textOf(entry) {
      return this.texts[entry.text] ?? "";
    }

    /** Call "add" with what matches a query by name: the entry, its score, how it is reached. */
    findByName(query, add) {
      if (!query.terms.length) return;
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
          add(entry, scoreOf(entry, level, detail, wantsCase));
        }
      }
      for (const type of this.types) {
        const other = matchResource(type, term);
        if (other) add(type, scoreOf(type, other.match, other.detail + path, wantsCase));
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
          isField: false, name: createName(text), api, path: `${text}/`, role: "API", release: this.release,
          rank: ROLE.version, usage: 0, kindCount: 0,
        };
        entry.weight = weightOf(entry, entry);
        const isWhole = isGroup || isVersion;
        add(entry, scoreOf(entry, isWhole ? MATCH.exact : MATCH.prefix));
        for (const type of isWhole ? this.types : []) {
          if (type.api === api && type.isKind) add(type, scoreOf(type, MATCH.gap));
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
              if (before.length + behind.length) add(type, scoreOf(type, MATCH.exact));
            } else if (isApiVersion(before)) {
              this.addFields(type, behind, isPath, add);
            } else if (isApiVersion(behind)) this.addFields(type, before, isPath, add, 1);
            else if (VERSION.test(before.at(-1)) && !behind.length) {
              add(type, scoreOf(type, MATCH.gap)); // of a group that is unknown
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
        add(field, scoreOf(entry, match, detail + gaps), { route: { type, fields } });
      }
    }

    /**
     * A path from a field of any type; of those that many kinds have, such as metadata, only
     * that in their own type.
     */
    findPaths({ terms, isPath }, add) {
      for (const type of this.typesByField.get(terms[0]) ?? []) {
        for (const { fields, isPrefix } of this.resolve(type, terms, false)) {
          const field = fields.at(-1);
          const match = isPrefix ? MATCH.prefix : isPath ? MATCH.exact : MATCH.gap;
          const first = this.types[fields[0].reference];
          if (type.isKind && first && isShared(first)) add(field, scoreOf(field, match), { isOwn: true });
          else add(field, scoreOf(type.isKind ? type : field, match, type.isKind ? 0 : 2), { route: { type, fields } });
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
            // Of metadata only what is known of the kind's own: the name of a StatefulSet.
            const isMeant = next?.name.text !== "ObjectMeta" || (owner === type && type.elsewhere?.has(`metadata.${term}`));
            if (next && isMeant) inner.push({ type: next, fields: path });
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
            add(entry, scoreOf(entry, MATCH.words, terms.length - inName.length));
          }
        }
      }
    }

    /** The phrases of an alias that words have: some only together with the name of the kind. */
    said({ phrases, entry }, stems) {
      const named = stems.filter((stem) => entry.isKind && namesKind(entry, stem));
      return phrases
        .filter(({ words, withKind }) => words.every((word) => stems.includes(word)) && (!withKind || named.length))
        .map(({ words, withKind }) => (withKind ? [...words, ...named] : words));
    }

    /** Kinds and fields that other words of people, feature gates and removed kinds mean. */
    findAliases({ lower }, add) {
      const stems = contentOf(lower, this.words).map(({ stem }) => stem), whole = joined(lower);
      if (this.apiVersions.some(({ words }) => words.has(whole))) return;
      for (const alias of this.aliases) {
        const { entry, phrases } = alias;
        const covered = new Set(this.said(alias, stems).flat());
        const isWhole = phrases.some((phrase) => phrase.joined === whole && !phrase.withKind);
        if (!isWhole && covered.size < new Set(stems).size) continue;
        // A kind or a group of this name comes first.
        add(entry, scoreOf({ ...entry, rank: ROLE.other }, MATCH.exact, 9), alias);
      }
    }

    /**
     * What has the words of a question in its name, that of its type, its values and its
     * description, or is meant by them. Rare words count more. What has only some of them is
     * found in the page's release, after what has more; not where a path is asked for.
     */
    findRelated({ lower, isPath }, add) {
      const content = contentOf(lower, this.words), terms = content.map(({ stem }) => stem);
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
      const kindsOfTypes = this.kindsOfTypes;
      const named = new Map(this.kinds.map((kind) => [kind, maskOf((term) => namesKind(kind, term))]));
      const inKinds = new Map();
      for (const [type, kinds] of kindsOfTypes) {
        const mask = kinds.reduce((sum, kind) => sum | named.get(kind), 0);
        inKinds.set(type, [kinds.length > MAX_KINDS ? 0.3 : 0.45, mask]);
      }
      // What a word asks for, such as a default, is there or is not.
      const asked = [...this.words].map(([about, words]) => [about, maskOf((_, index) => words.has(content[index].word))]);
      const inFacts = ({ facts = [], isKind }) => asked.reduce((mask, [about, part]) =>
        part && (facts.some((fact) => fact.about === about) || (isKind && about === "example")) ? mask | part : mask, 0);
      const inAny = (names) => names.reduce((mask, name) => mask | (inNames.get(name) ?? 0), 0);
      const around = new Map(this.types.map((type) => [type, inAny(type.parents.map(({ name }) => name))]));
      const outside = (type) => type.parents.reduce((mask, field) => mask | around.get(field.type), around.get(type));
      const masksOf = (entry, fields = [entry]) => [
        [1, inNames.get(entry.name)],
        [0.8, inAny(entry.values ?? [])],
        [0.7, inFacts(entry)],
        [0.6, inAny([entry.type, fields[0].type, ...fields].map((owner) => owner?.name))],
        [0.5, entry.isField ? outside(entry.type) : 0],
        inKinds.get(entry.type ?? entry) ?? [0, 0],
        [this.textWeights[entry.text] ?? 0, inTexts[entry.text] ?? 0],
      ];
      const candidates = [], counts = terms.map(() => 0);
      const addCandidate = (entry, masks, rest) => {
        const covered = masks.reduce((mask, [, part]) => mask | part, 0);
        if (covered) candidates.push({ entry, masks, covered, rest });
      };
      for (const entry of this.entries) addCandidate(entry, masksOf(entry));
      for (const { covered } of candidates) {
        for (const index of terms.keys()) counts[index] += covered & (2 ** index) ? 1 : 0;
      }
      for (const alias of this.aliases) {
        const said = this.said(alias, terms).flat();
        if (!said.length) continue;
        const { entry, route } = alias;
        const masks = masksOf(entry, route.fields.length ? route.fields : [entry]);
        addCandidate(entry, [[1.2, maskOf((term) => said.includes(term))], ...masks], alias);
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
      for (const { entry, value, rest } of candidates) {
        if (!(value >= best * RELATED)) continue;
        add(entry, scoreOf(entry, MATCH.text + Math.round((2 - value) * 100)), rest);
      }
    }

    /** The kinds that each type is, or is part of. */
    get kindsOfTypes() {
      if (this.kindsByType) return this.kindsByType;
      this.kindsByType = new Map();
      this.kinds = this.types.filter(({ isKind }) => isKind);
      for (const kind of this.kinds) {
        const parts = new Set([kind]);
        for (const { fields } of parts) {
          for (const { reference } of fields) if (reference >= 0) parts.add(this.types[reference]);
        }
        for (const part of parts) {
          if (!this.kindsByType.has(part)) this.kindsByType.set(part, []);
          this.kindsByType.get(part).push(kind);
        }
      }
      return this.kindsByType;
    }

    /**
     * The way from a kind to a type that has most of the words in its names; of several the
     * shortest one. Undefined where there is none, and where many kinds have the type.
     */
    routeTo(type, terms) {
      const maskOf = (has) => terms.reduce((mask, term, index) => mask + (has(term) ? 2 ** index : 0), 0);
      const count = (mask) => terms.filter((_, index) => mask & (2 ** index)).length;
      const level = [{ type, fields: [], mask: 0 }], visited = new Set();
      const length = ({ type: kind, fields }) => fields.length + (kind.usage ? 0 : 2);
      let best;
      const isBetter = (one, other) =>
        !other || one.count - other.count || other.type.api.level - one.type.api.level ||
        length(other) - length(one) || byUse(other.type, one.type);
      for (const { type: inner, fields, mask } of level) {
        for (const field of inner.parents) {
          const owner = field.type;
          let found = mask | maskOf((term) => matchName(field.name, term) !== undefined);
          if (owner.isKind) found |= maskOf((term) => namesKind(owner, term) || owner.api.words.has(term));
          const key = `${owner.index} ${found}`;
          if (owner === type || visited.has(key) || fields.length >= MAX_STEPS) continue;
          visited.add(key);
          const next = { type: owner, fields: [field, ...fields], mask: found, count: count(found) };
          if (!owner.isKind) level.push(next);
          else if (!(isShared(inner) && !next.count) && isBetter(next, best) > 0) best = next;
        }
      }
      return best;
    }

    /**
     * A result as it is shown: by its path in a kind, where it is part of one; in one that words
     * name, if not that of the result.
     */
    placed({ entry, score, route, fragment = "", note = "", isOwn, phrases }, terms) {
      let { type, fields } = route ?? ownRoute(entry);
      const isInside = entry.isField || !type.path; // an object without a page is a field
      if (isInside && !isOwn && this.release) {
        // What is meant by other words is meant in any kind.
        const isNamed = !type.isKind || !phrases || terms.some((term) => namesKind(type, term));
        const inner = isNamed ? type : entry.type;
        const outer = this.routeTo(inner, terms);
        const rest = isNamed ? fields : [entry];
        if (outer && (!type.isKind || (!isNamed && terms.some((term) => namesKind(outer.type, term))))) {
          [type, fields] = [outer.type, [...outer.fields, ...rest]];
        }
      }
      const shown = fields.at(-1) ?? entry;
      return { entry: shown, path: (entry.role === "API" && entry.path) || pathOf({ type, fields }) + fragment, release: type.release, score, type, fields, note };
    }

    /** What is known of a result in its kind, first what words ask for. */
    factsOf({ entry, type, fields, note }, text) {
      const { facts = [] } = knownAt(type, fields.map(({ name }) => name.text).join("."), entry);
      const words = text.toLowerCase().split(SEPARATOR);
      const isAsked = ({ about }) => words.some((word) => this.words.get(about)?.has(word));
      const sorted = [...facts.filter(isAsked), ...facts.filter((fact) => !isAsked(fact))];
      return [note, ...sorted.map((fact) => fact.text)].filter(Boolean);
    }

    /** The names of other kinds that have a field, those that are used most first. */
    twinsOf({ entry, type }) {
      const kinds = entry.isField ? this.kindsOfTypes.get(entry.type) ?? [] : [];
      const names = kinds.toSorted((a, b) => b.usage - a.usage).map(({ name }) => name.text);
      return [...new Set(names)].filter((name) => name !== type.name.text).slice(0, MAX_TWINS);
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
      const [{ stem } = {}] = contentOf(term, this.words);
      return this.lowerTexts.some((text) => text.includes(term)) ||
        this.aliases.some(({ phrases }) => phrases.some(({ words }) => words.includes(stem))) ||
        this.entries.some(({ values = [] }) => values.some((name) => name.joined === term));
    }

    /** The pieces of a query, those with words that are nowhere replaced by the most similar ones. */
    corrected(pieces) {
      const isKnown = (piece) => piece.toLowerCase().split(SEPARATOR).every((word) => this.hasWord(word));
      return pieces.map((piece) => (isKnown(piece) ? piece : this.similar(joined(piece))));
    }

    similar(term) {
      const limit = term.length > 7 ? 2 : term.length > 3 ? 1 : 0;
      this.spellings ??= this.vocabulary();
      let best = term, bestRank = Infinity;
      for (const [word, usage] of limit ? this.spellings : []) {
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

  /** What is known of a field at a path of a kind: of metadata by the path, of others by the kind. */
  const knownAt = (kind, path, field) => kind.elsewhere?.get(path) ?? field.elsewhere?.get(kind.name.text) ?? field;

  /** The order of kinds that have the same field: those that people use first, then stable ones. */
  const byUse = (one, other) => other.usage - one.usage || one.api.order - other.api.order;

  function extended(path, step) {
    return { fields: [...path.fields, ...step], gaps: path.gaps + step.length - 1 };
  }

  const ownRoute = (entry) => (entry.isField ? { type: entry.type, fields: [entry] } : { type: entry, fields: [] });

  /** Whether so many kinds refer to a type that it is not one of their parts: ObjectMeta. */
  const isShared = ({ parents }) => parents.filter(({ type }) => type.isKind).length > SHARED;

  /** Collects results, each entry once by each way to it, with its best score. */
  class Results {
    constructor() {
      this.found = new Map();
      this.add = (entry, score, rest = {}) => {
        if (!this.found.has(entry)) this.found.set(entry, new Map());
        const ways = this.found.get(entry);
        const way = (rest.fragment ?? "") + (rest.route ? pathOf(rest.route) : "");
        if (!(ways.get(way)?.score <= score)) ways.set(way, { entry, score, ...rest, note: rest.note ?? ways.get(way)?.note });
      };
    }

    get size() {
      return this.found.size;
    }

    sorted() {
      // A field has the same score in all kinds that it is reached from.
      const kindOf = ({ route, entry }) => (route ?? ownRoute(entry)).type;
      return [...this.found.values()].flatMap((ways) => [...ways.values()])
        .sort((a, b) => a.score - b.score || byUse(kindOf(a), kindOf(b)));
    }
  }

  /** The results as they are shown, those with the same name and description once. */
  function folded(pool, results, terms, limit) {
    const shown = new Map();
    for (const result of results) {
      if (shown.size > limit) break;
      const place = pool.placed(result, terms);
      const isTwin = place.entry.isField && pool.textOf(place.entry);
      const key = isTwin ? `${place.entry.name.text} ${place.entry.text}` : place.release + place.path;
      if (!shown.has(key)) shown.set(key, place);
      else if (!shown.get(key).note) shown.get(key).note = place.note;
    }
    return [...shown.values()];
  }

  /**
   * The results of a query in one index, best first. Where no name matches, words that ask for
   * something are left out, and then the words may have typing mistakes; what has only some of
   * the words, or has them in its description, comes last.
   */
  function findResults(pool, text, limit) {
    let query = parseQuery(text);
    const results = new Results();
    if (!query.terms.length) return [];
    pool.findAliases(query, results.add);
    const asks = (piece) => [...pool.words.values()].some((words) => words.has(piece.toLowerCase()));
    const content = query.pieces.filter((piece) => !asks(piece));
    const tries = [
      () => query,
      () => withPieces(query, content),
      () => (query = withPieces(query, pool.corrected(query.pieces))),
      () => withPieces(query, pool.corrected(content)),
    ];
    for (const make of tries) {
      pool.findByName(make(), results.add);
      if (results.size) break;
    }
    if (results.size < limit) pool.findRelated(query, results.add);
    return folded(pool, results.sorted(), contentOf(query.lower, pool.words).map(({ stem }) => stem), limit);
  }

  // By release; "" has the types that not all releases have.
  const pools = new Map();

  function receive(release, change) {
    change(pools.get(release));
    globalThis.dispatchEvent?.(new Event("search-data"));
  }

  /** Called by scripts with the names of an index, and then by those with its descriptions. */
  globalThis.kubestencilIndex = (payload) => receive(payload.release, () => pools.set(payload.release, new Pool(payload)));
  globalThis.kubestencilTexts = (payload) => receive(payload.release, (pool) => pool?.setTexts(payload));

  Object.assign(globalThis.kubestencilSearch, { findResults, knownAt, pools });
})();

"use strict";
// Reads manifests as "kubestencil check" and kubectl do, with the line of each value. The
// package in "vendor/yaml.js" finds the nodes of a text; what they mean is decided here, as
// in generator/kubestencil/source/yaml: documents, scalars, keys, merges, aliases. Where the
// two could differ, the text is refused, with its line.
(() => {
  const { Composer, isAlias, isMap, isScalar, Parser } = globalThis.kubestencilYaml;
  const MAX_DEPTH = 500;

  /** Why a text cannot be read from an offset on. */
  class Mistake extends Error {
    constructor(message, offset) {
      super(message);
      this.offset = offset;
    }
  }

  // ------------------------------------------------------------------------- the scalars

  const WORDS = new Map([
    ...["", "~", "null", "Null", "NULL"].map((word) => [word, null]),
    ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"].map((word) => [word, true]),
    ...["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"].map((word) => [word, false]),
  ]);
  const NOT_FINITE = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;
  const INTEGER = /^([-+]?)(?:(0[xX][0-9a-fA-F]+|0[bB][01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
  const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
  const SEPARATED = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
  const MAX_INTEGER_LENGTH = 100, MAX_PLAIN_FLOAT = 1e21;

  /** The value of a plain scalar: of an integer a bigint, of any other number a number. */
  function resolve(text) {
    if (WORDS.has(text)) return WORDS.get(text);
    if (!/^[-+.0-9]/.test(text) || (/^\..*_/s.test(text) && !SEPARATED.test(text))) return text;
    const plain = text.replaceAll("_", "");
    const [, sign, prefixed, octal, decimal] = (plain.length <= MAX_INTEGER_LENGTH && INTEGER.exec(plain)) || [];
    if (sign !== undefined) {
      const size = BigInt(prefixed ?? decimal ?? `0o${octal}`);
      const integer = sign === "-" ? -size : size;
      if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return integer;
    }
    const number = FLOAT.test(plain) ? Number(plain) : NaN;
    return Number.isFinite(number) ? number : text;
  }

  const TYPES = { int: ["bigint"], float: ["bigint", "number"], bool: ["boolean"], null: ["object"] };

  /** The value of a scalar with a tag. One with a tag of its own is a string. */
  function resolveTagged(text, tag, offset) {
    const name = /^tag:yaml\.org,2002:(.*)$/.exec(tag)?.[1] ?? "";
    if (/^(binary|merge|timestamp)$/.test(name)) throw new Mistake(`this page does not read !!${name}`, offset);
    if (!Object.hasOwn(TYPES, name)) return text;
    const value = resolve(text);
    if (!TYPES[name].includes(typeof value)) throw new Mistake(`${JSON.stringify(text)} is no !!${name}`, offset);
    return name === "float" ? Number(value) : value;
  }

  /** JSON has 1e3 and 1.0 as 1000 and 1. */
  const asJson = (value) =>
    Number.isInteger(value) && Math.abs(value) < MAX_PLAIN_FLOAT ? BigInt(String(value)) : value;

  // -------------------------------------------------------------------------- the values

  // Aliases may stand for this share of so many values, and for less of more (go-yaml, decode.go:
  // allowedAliasRatio), which this page does not read.
  const MAX_ALIASED = 0.99, MAX_VALUES = 400_000, FEW = 100;

  /**
   * Makes values of the nodes of one document, whose lines "lineAt" has by offset. A value
   * is { kind, line }, with the "entries" of a mapping, the "items" of a sequence, or the
   * "value" of a scalar. Keys that are there twice are in "repeated"; the last one counts.
   */
  class Reader {
    constructor(text, lineAt, isJson) {
      Object.assign(this, { text, lineAt, isJson });
      this.anchors = new Map();
      this.repeated = [];
      this.covered = [];
      this.depth = this.flowDepth = this.count = this.aliased = 0;
    }

    document(node) {
      const value = this.value(node);
      if (!this.isJson) this.checkTabs();
      this.checkAliased(node.range[0]);
      return { value, repeated: this.repeated };
    }

    value(node, isKey = false) {
      if (isAlias(node)) return this.alias(node);
      const [offset] = node.range;
      const line = this.lineAt(offset);
      const start = this.count;
      let value;
      this.checkNode(node);
      if (isScalar(node)) value = { kind: "scalar", line, value: this.scalar(node, isKey) };
      else {
        if (this.depth >= MAX_DEPTH) throw new Mistake(`it is nested more than ${MAX_DEPTH} deep`, offset);
        if (node.anchor) this.anchors.set(node.anchor, null);
        this.depth++;
        this.flowDepth += Number(node.flow ?? false);
        if (isMap(node)) value = { kind: "mapping", line, entries: this.entries(node) };
        else value = { kind: "sequence", line, items: node.items.map((item) => this.value(item)) };
        this.depth--;
        this.flowDepth -= Number(node.flow ?? false);
      }
      this.count++;
      if (node.anchor) this.anchors.set(node.anchor, { value, size: this.count - start });
      return value;
    }

    scalar({ type, source, tag, range: [start, end] }, isKey) {
      if (this.isJson) {
        const written = this.text.slice(start, end);
        return /^-?\d+$/.test(written) ? BigInt(written) : JSON.parse(written);
      }
      if (!tag && type !== "PLAIN") return source;
      if (!tag && NOT_FINITE.test(source)) throw new Mistake(`${source} is no number of JSON`, start);
      const value = tag ? resolveTagged(source, tag, start) : resolve(source);
      if (isKey && typeof value === "number") throw new Mistake(`the key ${source} needs quotes`, start);
      return asJson(value);
    }

    // What libyaml refuses or reads otherwise, and the package does not.

    checkNode({ anchor, type = "", tag, range: [start, end] }) {
      if (this.isJson) return;
      if (type && type !== "PLAIN") this.covered.push([start, end]);
      const written = this.text.slice(start, end);
      const isPlainInFlow = type === "PLAIN" && this.flowDepth > 0;
      const isOpen = type === "QUOTE_SINGLE" && written.split("'").length % 2 === 0;
      if (isOpen || (type === "QUOTE_DOUBLE" && !/^".*"$/s.test(written.replace(/\\./gs, "")))) throw new Mistake("a quote is not closed", start);
      if (/^BLOCK/.test(type)) {
        if (!this.depth) throw new Mistake("this page does not read a block text that is in no object", start);
        if (/^[|>][-+]?[^\n\d]*\n(?: *\n)* *\t/.test(written)) throw new Mistake("Tabs are not allowed as indentation", start);
        if (end === this.text.length && /\n[ \t]+$/.test(written)) throw new Mistake("a block text ends with a line of blanks", end - 1);
      }
      if (isPlainInFlow && /^[:?]|:[,?[\]{}]/.test(this.text.slice(start, end + 2))) throw new Mistake("a blank is missing after a colon", start);
      const isTag = !tag || (/^[\w;/?:@&=+$.!~*'()%[\],-]*$/.test(tag) && (written ? /\s/.test(this.text[start - 1]) : !this.flowDepth));
      if (!isTag) throw new Mistake("a tag is not followed by a blank", start);
      if (anchor && !/^[\w-]+$/.test(anchor)) throw new Mistake(`the anchor &${anchor} has a character that is no letter`, start);
    }

    checkKey({ range: [start, end] }, { start: tokens, sep = [] }) {
      const refused = this.flowDepth ? /^(explicit-key-ind|anchor|tag)$/ : /^explicit-key-ind$/;
      const before = tokens.find(({ type }) => refused.test(type));
      if (before) throw new Mistake(`this page does not read ${before.source} before a key`, start);
      const colon = sep.find(({ type }) => type === "map-value-ind")?.offset ?? end;
      if (this.text.slice(start, colon).includes("\n") && !this.isJson) throw new Mistake("a key has several lines", start);
    }

    /** Refuses tabs where a line begins, but in quotes and block texts. */
    checkTabs() {
      let index = 0;
      for (const match of this.text.matchAll(/(?<![^\n])[ ?:-]*\t/g)) {
        const tab = match.index + match[0].length - 1;
        while (this.covered[index]?.[1] <= tab) index++;
        if (!(this.covered[index]?.[0] <= tab)) throw new Mistake("Tabs are not allowed as indentation", tab);
      }
    }

    alias({ source, range: [offset] }) {
      const anchor = this.anchors.get(source);
      if (anchor === undefined) throw new Mistake(`the alias *${source} has no anchor`, offset);
      if (anchor === null) throw new Mistake(`the anchor &${source} contains itself`, offset);
      this.aliased += anchor.size;
      this.count += 1 + anchor.size;
      this.checkAliased(offset);
      return { ...anchor.value, line: this.lineAt(offset) };
    }

    /** Refuses aliases that stand for more values than Kubernetes allows. */
    checkAliased(offset) {
      const count = 1 + this.depth + this.count, isAllowed = count <= MAX_VALUES && this.aliased < MAX_ALIASED * count;
      if (this.aliased > FEW && !isAllowed) {
        throw new Mistake(`its aliases stand for ${this.aliased} of ${count} values, which are too many`, offset);
      }
    }

    /** The entries of a mapping; those of a "<<" replace the ones above it. */
    entries({ items }) {
      const entries = new Map(), merged = new Set();
      for (const { key: keyNode, value: valueNode, srcToken } of items) {
        const offset = keyNode.range[0];
        this.checkKey(keyNode, srcToken);
        if (keyNode.source === "<<" && keyNode.type === "PLAIN" && !keyNode.tag) {
          for (const { entries: others } of this.mergeable(keyNode, valueNode).reverse()) {
            for (const entry of others) {
              if (!entries.has(entry.key)) merged.add(entry.key);
              entries.set(entry.key, entry);
            }
          }
          continue;
        }
        const key = this.key(keyNode), line = this.lineAt(offset);
        if (!merged.delete(key) && entries.has(key)) this.repeated.push({ key, line });
        const value = valueNode ? this.value(valueNode) : this.empty(line);
        entries.set(key, { key, line, value });
      }
      return [...entries.values()];
    }

    empty(line) {
      this.count++;
      return { kind: "scalar", line, value: null };
    }

    key(node) {
      const { kind, value } = this.value(node, true);
      if (kind === "scalar" && typeof value === "string") return value;
      const isKey = typeof value === "boolean" || (typeof value === "bigint" && value < 2n ** 63n);
      if (kind === "scalar" && isKey) return String(value);
      throw new Mistake("a key has to be a text", node.range[0]);
    }

    mergeable(keyNode, node) {
      const [offset] = keyNode.range;
      if (keyNode.anchor || !node) throw new Mistake("this page does not read such a <<", offset);
      const value = this.value(node);
      const values = value.kind === "sequence" && !isAlias(node) ? [...value.items] : [value];
      if (values.every(({ kind }) => kind === "mapping")) return values;
      throw new Mistake("<< merges a mapping, or a list of mappings", offset);
    }
  }

  // ----------------------------------------------------------------------- the documents

  const SEPARATOR = /(?<![^\n])---([^\n]*)\n?/g;

  /** The documents of a text, with their offsets, as Kubernetes splits it before it is read. */
  function* split(text) {
    let start = 0, content = 0, isSeparated = false;
    for (const match of text.matchAll(SEPARATOR)) {
      const end = match.index, rest = match[1].trim();
      // Of two separators in a row, the second one belongs to the next document.
      isSeparated = !(end > content || isSeparated);
      if (!isSeparated) yield [start, text.slice(start, end)];
      start = end;
      content = end + match[0].length;
      if (rest && !rest.startsWith("#")) throw new Mistake("text follows --- on its line", end);
    }
    if (content < text.length) yield [start, text.slice(start)];
  }

  // Characters that YAML does not have, and those that only some parsers take for the end of a
  // line or leave out.
  const STRANGE = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
  const OPTIONS = { schema: "failsafe", resolveKnownTags: false, uniqueKeys: false, keepSourceTokens: true };

  /** The root node of the first document of a text; undefined where it is empty. */
  function parse(text) {
    const strange = STRANGE.exec(text);
    if (strange) {
      const code = strange[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      throw new Mistake(`the character U+${code} cannot be in it`, strange.index);
    }
    const composer = new Composer(OPTIONS);
    let document;
    try {
      [document] = composer.compose(new Parser().parse(text));
    } catch {
      throw new Mistake("it is too large or too deep for this page", 0);
    }
    const { errors, warnings } = document ?? composer.streamInfo();
    // Of a quote that is not closed, "checkNode" has the place where it is opened.
    const mistakes = [
      ...errors.filter(({ message }) => !/^Missing closing/.test(message)),
      ...warnings.filter(({ code }) => code !== "TAG_RESOLVE_FAILED" && code !== "BAD_INDENT"),
    ];
    if (mistakes.length) {
      const first = mistakes.reduce((one, other) => (other.pos[0] < one.pos[0] ? other : one));
      throw new Mistake(first.code === "RESOURCE_EXHAUSTION" ? "it is nested too deeply" : first.message, first.pos[0]);
    }
    const { docStart, docEnd } = document?.directives ?? {};
    if (docEnd && !docStart && document.contents?.source === "") throw new Mistake("nothing is before the ...", 0);
    return document?.contents ?? undefined;
  }

  function isJson(text) {
    if (!text.trimStart().startsWith("{")) return false;
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The documents of a text: { value, repeated }, or the { error, line, column } from which on one
   * cannot be read, with its "text". Lines and columns count from 0.
   */
  function readDocuments(written) {
    const text = written.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    const documents = [];
    const isWholeJson = isJson(text);

    function lineAt(offset) {
      let [low, high] = [0, starts.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (starts[middle] <= offset) low = middle;
        else high = middle;
      }
      return low;
    }

    function refuse(message, offset, part) {
      const line = lineAt(offset);
      documents.push({ error: message, line, column: offset - starts[line], text: part });
    }

    function read(base, part) {
      try {
        const node = parse(part);
        if (!node) return;
        const document = new Reader(part, (offset) => lineAt(base + offset), isWholeJson).document(node);
        if (document.value.value !== null) documents.push(document);
      } catch (error) {
        if (!(error instanceof Mistake)) throw error;
        refuse(error.message, base + error.offset, part);
      }
    }

    try {
      for (const [base, part] of isWholeJson ? [[0, text]] : split(text)) read(base, part);
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      refuse(error.message, error.offset, text);
    }
    return documents;
  }

  globalThis.kubestencil.readDocuments = readDocuments;
})();

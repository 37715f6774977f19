"use strict";
// Reads the YAML that manifests are written in, with the line of each value: block and flow
// style, texts in quotes and of several lines, documents. Values behind anchors, aliases and
// templates ({{ … }}) are "unknown", and nothing is said of them.
(() => {
  const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?![-?:] |[[\]{}#&*!|>'"%@`,]).*?)\s*:(?:\s+(.*))?$/s;
  const TEMPLATE = /\{\{/;
  const MAX_DEPTH = 200;

  class Mistake extends Error {
    constructor(message, line) {
      super(message);
      this.line = line;
    }
  }

  /** A line without its comment, outside of quotes. */
  function withoutComment(text) {
    let quote = "";
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (quote) {
        if (character === "\\" && quote === '"') at++;
        else if (character === quote) quote = "";
      } else if ((character === '"' || character === "'") && /^$|[\s[{,:]$/.test(text.slice(0, at))) quote = character;
      else if (character === "#" && /^$|\s$/.test(text.slice(0, at))) return text.slice(0, at).trimEnd();
    }
    return text.trimEnd();
  }

  function unquoted(text) {
    if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
    if (!text.startsWith('"')) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text.slice(1, -1);
    }
  }

  /** The text of a block, whose line breaks "|" keeps; null for another style. */
  function blockText(style, lines) {
    if (!/^\|-?$/.test(style)) return null;
    const indent = lines.find((line) => line.trim())?.search(/\S/) ?? 0;
    const text = lines.map((line) => line.slice(indent)).join("\n").trimEnd();
    return style === "|" && text ? `${text}\n` : text;
  }

  const scalar = (text, line) => ({ kind: "scalar", line, text: unquoted(text), isQuoted: /^["']/.test(text) });
  const unknown = (line) => ({ kind: "unknown", line });

  class Reader {
    /** "lines" are those of one document, "first" is the number of the first of them. */
    constructor(lines, first) {
      this.raw = lines;
      this.first = first;
      this.lines = lines.flatMap((raw, index) => {
        const text = withoutComment(raw);
        const start = text.search(/\S/);
        const isTemplate = /^\s*\{\{[^{}]*\}\}$/.test(text);
        return start < 0 || isTemplate ? [] : [{ indent: start, text: text.slice(start), index }];
      });
      this.at = 0;
    }

    get next() {
      return this.lines[this.at];
    }

    number(line) {
      return line.index + this.first;
    }

    read() {
      if (!this.next) return null;
      const value = this.block(0);
      if (this.next) throw new Mistake("cannot be read: the line is indented as nothing around it", this.number(this.next));
      return value;
    }

    block(depth) {
      const line = this.next;
      if (depth > MAX_DEPTH) throw new Mistake("is nested too deeply", this.number(line));
      if (line.text.startsWith("\t")) throw new Mistake("has a tab, where YAML needs spaces", this.number(line));
      if (/^-(\s|$)/.test(line.text)) return this.sequence(depth);
      if (KEY.test(line.text) && !/^[[{]/.test(line.text)) return this.mapping(depth);
      this.at++;
      return this.value(line.text, line, line.indent - 1, depth);
    }

    sequence(depth) {
      const { indent } = this.next;
      const node = { kind: "sequence", line: this.number(this.next), items: [] };
      while (this.next?.indent === indent && /^-(\s|$)/.test(this.next.text)) {
        const line = this.next;
        const rest = line.text.slice(1).trimStart();
        if (!rest) {
          this.at++;
          node.items.push(this.next?.indent > indent ? this.block(depth + 1) : unknown(this.number(line)));
          continue;
        }
        // What is behind the dash is a block of its own, indented to where it stands.
        this.lines[this.at] = { ...line, text: rest, indent: indent + line.text.length - rest.length };
        node.items.push(this.block(depth + 1));
      }
      return node;
    }

    mapping(depth) {
      const { indent } = this.next;
      const node = { kind: "mapping", line: this.number(this.next), entries: [] };
      while (this.next?.indent === indent) {
        const line = this.next;
        const [, key, rest = ""] = KEY.exec(line.text) ?? [];
        if (key === undefined || /^-\s/.test(line.text)) throw new Mistake("cannot be read: no key and no item", this.number(line));
        this.at++;
        node.entries.push({ key: unquoted(key), line: this.number(line), value: this.value(rest, line, indent, depth) });
      }
      return node;
    }

    /** The value behind a key: "rest" on its line, and the lines that are indented more. */
    value(rest, line, indent, depth) {
      const number = this.number(line);
      const text = rest.replace(/^(?:[&!]\S*\s*)+/, "");
      if (!text) {
        const isInside = this.next && (this.next.indent > indent || (this.next.indent === indent && /^-(\s|$)/.test(this.next.text)));
        return isInside ? this.block(depth + 1) : { kind: "null", line: number };
      }
      if (/^[|>][-+\d]*$/.test(text)) {
        while (this.next?.indent > indent) this.at++;
        const written = this.raw.slice(line.index + 1, this.next?.index);
        return { kind: "scalar", line: number, text: blockText(text, written), isQuoted: true };
      }
      if (text.startsWith("*") || TEMPLATE.test(text)) {
        while (this.next?.indent > indent) this.at++;
        return unknown(number);
      }
      if (/^[[{]/.test(text)) return this.flow(text, line, indent);
      const parts = [text];
      const isQuoted = /^["']/.test(text);
      while (this.next?.indent > indent && !isClosed(parts.join(" "))) {
        if (!isQuoted && KEY.test(this.next.text)) throw new Mistake("is inside of a field that has a value already", this.number(this.next));
        parts.push(this.lines[this.at++].text);
      }
      return scalar(parts.join(" "), number);
    }

    /** A value in brackets, which may go over several lines. */
    flow(start, line, indent) {
      let characters = [...start].map((character) => ({ character, number: this.number(line) }));
      while (!isBalanced(characters) && this.next && this.next.indent >= Math.max(indent, 0)) {
        const more = this.lines[this.at++];
        characters = [...characters, ...[..."\n", ...more.text].map((character) => ({ character, number: this.number(more) }))];
      }
      return new FlowReader(characters).read();
    }
  }

  /** Whether a text in quotes has its end; a plain one is never closed. */
  const isClosed = (text) => /^"(?:[^"\\]|\\.)*"$|^'(?:[^']|'')*'$/s.test(text);

  function isBalanced(characters) {
    let depth = 0, quote = "";
    for (const [at, { character }] of characters.entries()) {
      if (quote) quote = character === quote && characters[at - 1]?.character !== "\\" ? "" : quote;
      else if (character === '"' || character === "'") quote = character;
      else if ("[{".includes(character)) depth++;
      else if ("]}".includes(character)) depth--;
    }
    return depth <= 0;
  }

  class FlowReader {
    constructor(characters) {
      this.characters = characters;
      this.at = 0;
    }

    get character() {
      return this.characters[this.at]?.character;
    }

    get line() {
      return (this.characters[this.at] ?? this.characters.at(-1)).number;
    }

    skipSpaces() {
      while (/\s/.test(this.character ?? "")) this.at++;
    }

    read(depth = 0) {
      this.skipSpaces();
      if (depth > MAX_DEPTH) throw new Mistake("is nested too deeply", this.line);
      if (this.character === "{" || this.character === "[") return this.collection(depth);
      const { line } = this;
      const text = this.text(/[,\]}]/);
      return text ? scalar(text, line) : { kind: "null", line };
    }

    /** A text up to a character that ends it, which is not taken. */
    text(end) {
      let text = "";
      const quote = /["']/.test(this.character ?? "") ? this.character : "";
      if (quote) {
        do {
          text += this.character === "\n" ? " " : this.character;
          if (this.character === "\\" && quote === '"') text += this.characters[++this.at]?.character ?? "";
          this.at++;
        } while (this.character !== undefined && this.character !== quote);
        this.at++;
        return text + quote;
      }
      while (this.character !== undefined && !end.test(this.character)) text += this.characters[this.at++].character;
      return text.trim();
    }

    collection(depth) {
      const isMapping = this.character === "{";
      const { line } = this;
      const [entries, items] = [[], []];
      this.at++;
      for (;;) {
        this.skipSpaces();
        if (this.character === undefined) throw new Mistake("has a bracket that is not closed", line);
        if (/[\]}]/.test(this.character)) break;
        if (isMapping) {
          const keyLine = this.line;
          const key = unquoted(this.text(/[:,}]/));
          this.skipSpaces();
          if (this.character === ":") this.at++;
          entries.push({ key, line: keyLine, value: this.read(depth + 1) });
        } else items.push(this.read(depth + 1));
        this.skipSpaces();
        if (this.character === ",") this.at++;
        else if (!/[\]}]/.test(this.character ?? "]")) throw new Mistake("cannot be read: a comma or a bracket is missing", this.line);
      }
      this.at++;
      return isMapping ? { kind: "mapping", line, entries } : { kind: "sequence", line, items };
    }
  }

  /** The documents of a text: their values, or what is wrong with one (error, line). */
  function readDocuments(text) {
    const documents = [];
    let lines = [], first = 0;
    const finish = (next) => {
      try {
        const value = new Reader(lines, first).read();
        if (value) documents.push({ value });
      } catch (error) {
        if (!(error instanceof Mistake)) throw error;
        documents.push({ error: error.message, line: error.line });
      }
      [lines, first] = [[], next];
    };
    for (const [index, line] of text.split(/\r?\n/).entries()) {
      if (/^(---|\.\.\.)(\s|$)/.test(line)) finish(index + 1);
      else if (!/^%/.test(line)) lines.push(line);
      else lines.push("");
    }
    finish(0);
    return documents;
  }

  globalThis.kubestencil.readDocuments = readDocuments;
})();

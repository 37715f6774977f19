"use strict";
// The example of a field: the starter of its kind, into which is merged what the data of the
// release, "field-examples.js", has of each field on the way. All decisions are made there.
(() => {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isEqual = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  Object.assign(globalThis.kubestencil, { isEqual, isObject });
  let data = {};

  /** A value with a change merged into it, as "changes.py" does it. */
  function merged(value, change) {
    if (isObject(change)) {
      const changed = Array.isArray(value) ? [...value] : { ...(isObject(value) ? value : {}) };
      for (const [name, part] of Object.entries(change)) {
        if (part === null) delete changed[name];
        else changed[name] = merged(changed[name], part);
      }
      return changed;
    }
    if (!Array.isArray(value) || !Array.isArray(change) || !change.some(isObject)) return change;
    const isThere = (item) => value.some((old) => isEqual(old, item) || (item.name && old.name === item.name));
    return [...value, ...change.filter((item) => !isThere(item))];
  }

  /** The value of a field of which there is no data. */
  const usual = ({ containers, label, page }) =>
    containers.reduceRight(
      (inner, container) => (container === "[]" ? [inner] : { key: inner }),
      data.types[page]?.smallest ?? data.scalars[label] ?? {},
    );

  /** A value whose first object, in these lists and maps, is changed. */
  function inside(value, [container, ...rest], change) {
    if (!container) return change(value);
    const [[key, first] = [0, {}]] = Object.entries(value);
    return Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: inside(first, rest, change) });
  }

  /** An object with the last of some fields, each inside of the one before. */
  function withField(object, fields, own, prefix) {
    const [{ owner, name, containers }, ...rest] = fields;
    const { values = {}, beside = {} } = data.types[owner] ?? {};
    const path = prefix + name;
    if (own[path]) object = merged(object, own[path]);
    else if (!(name in object)) object = merged({ ...object, [name]: values[name] ?? usual(fields[0]) }, beside[name] ?? {});
    if (!rest.length) return object;
    object = { ...object, [name]: inside(object[name], containers, (value) => withField(value, rest, own, `${path}.`)) };
    return pathsOf(fields).slice(1).reduce((changed, inner) => merged(changed, beside[inner] ?? {}), object);
  }

  /** The paths of fields inside of each other. */
  const pathsOf = (fields) => fields.map((_, index) => fields.slice(0, index + 1).map(({ name }) => name).join("."));

  /** What is there of a kind, or type, to begin with. */
  const starterOf = (page) => structuredClone(data.kinds[page]?.starter ?? data.types[page]?.smallest ?? {});

  /**
   * The object of the page of a kind, or type, with the last of some fields, each inside of the
   * one before: "name", "owner", the page of the type that has it, the "containers" (lists and
   * maps) around its value, the "label" of its type, and the "page" of that, if it has one.
   */
  function exampleOf(page, fields) {
    const { fields: own = {}, inner = {}, places = {} } = data.kinds[page] ?? {};
    const made = withField(starterOf(page), fields, own, "");
    const object = structuredClone(pathsOf(fields).reduce((changed, path) => merged(changed, inner[path] ?? {}), made));
    for (const [path, values] of Object.entries(places)) {
      const outer = path.split("."), name = outer.pop();
      const holder = outer.reduce((value, step) => value?.[step], object);
      if (holder && name in holder && !values.includes(holder[name])) holder[name] = values[0];
    }
    return object;
  }

  /** What a table of the data says of fields inside of each other, the first one of a page. */
  const saidOf = (page, fields, table) =>
    fields.flatMap(({ owner }, start) =>
      ["", ...pathsOf(fields.slice(start))].flatMap((path) => [
        ...(start === 0 && data.kinds[page] ? [data[table][""]?.[path] ?? []] : []), data[table][owner]?.[path] ?? [],
      ].flat()));

  /** Called by the script of the release. */
  globalThis.kubestencilFieldExamples = (examples) => {
    data = examples;
    Object.assign(globalThis.kubestencil, { exampleOf, isLong: (owner, name) => data.types[owner]?.int64?.includes(name), saidOf, starterOf });
    dispatchEvent(new Event("field-examples"));
  };
})();

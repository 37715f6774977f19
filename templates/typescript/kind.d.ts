/** A function that makes objects of a kind, whose `apiVersion` and `kind` it fills in. */
export interface Kind<
  Type,
  Group extends string,
  Version extends string,
  Name extends string,
> {
  (object: Omit<Type, "apiVersion" | "kind">): Type;
  /** The API group; empty for that of Pod and Service. */
  readonly group: Group;
  readonly version: Version;
  readonly apiVersion: Group extends "" ? Version : `${Group}/${Version}`;
  readonly kind: Name;
}

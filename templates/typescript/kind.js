export function defineKind(group, version, kind) {
  const type = { apiVersion: group ? `${group}/${version}` : version, kind };
  // First in the order of the object, and whatever the object says.
  const make = (object) => Object.assign({ ...type }, object, type);
  return Object.freeze(Object.assign(make, { group, version, ...type }));
}

// What a library documents, for kubestencil's pages: the fields that begin with
// "#", and the objects that have some inside.
{
  // The names in a library, and for each type whether something was added to
  // the empty object that stands for it: group -> version -> type -> truth.
  changed(k)::
    self.below(k, function(group)
      self.below(group, function(version)
        self.below(version, function(type) std.length(std.objectFieldsAll(type)) > 0))),

  below(object, of)::
    {
      [name]: of(object[name])
      for name in std.objectFieldsAll(object)
      if name[0:1] != '#' && !self.ignored(object, name) && std.isObject(object[name])
    },

  // The documentation in a library. Types in `unchanged` (group -> version ->
  // type -> true) come as null.
  of(object, unchanged={})::
    local has(name) = std.isObject(unchanged) && std.objectHas(unchanged, name);
    {
      [name]:
        if name[0:1] == '#' then object[name]
        else if has(name) && unchanged[name] == true then null
        else $.of(object[name], if has(name) then unchanged[name] else {})
      for name in std.objectFieldsAll(object)
      if !self.ignored(object, name)
      if (has(name) && unchanged[name] == true) || (
        std.isObject(object[name])
        && (name[0:1] == '#' || has(name) || $.documents(object[name]))
      )
    },

  documents(object)::
    std.foldl(
      function(found, name)
        found
        || name[0:1] == '#'
        || (!self.ignored(object, name) && std.isObject(object[name]) && self.documents(object[name])),
      std.objectFieldsAll(object),
      false
    ),

  ignored(object, name)::
    std.objectHasAll(object, '#' + name) && object['#' + name] == 'ignore',
}

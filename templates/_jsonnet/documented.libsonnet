// What a library documents, for kubestencil's pages: the fields that begin with
// "#", and the objects that have some inside.
{
  // What was added to a skeleton of objects: for one that was empty, whether it
  // is any more; for others "#", whether there are new fields, and what is inside.
  changed(object, skeleton)::
    local names = std.objectFieldsAll(object);
    if skeleton == {} then names != []
    else
      { '#': std.length([name for name in names if !std.objectHas(skeleton, name)]) > 0 }
      + {
        [name]: $.changed(object[name], skeleton[name])
        for name in names
        if std.objectHas(skeleton, name) && std.isObject(object[name])
      },

  // The documentation in a library. What is true in the tree `unchanged` comes as
  // null.
  of(object, unchanged)::
    {
      [name]:
        if name[0:1] == '#' then object[name]
        else if std.objectHas(unchanged, name) then
          if unchanged[name] == true then null else $.of(object[name], unchanged[name])
        else $.of(object[name], {})
      for name in std.objectFieldsAll(object)
      if !self.ignored(object, name)
      if std.get(unchanged, name) == true
         || (
           std.isObject(object[name])
           && (name[0:1] == '#' || std.objectHas(unchanged, name) || $.documents(object[name]))
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

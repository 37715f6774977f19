// A v1 List: several objects in one.
local d = import 'doc-util/main.libsonnet';

{
  core+: {
    v1+: {
      list: {
        local items = d.arg('items', d.T.array),

        '#': d.pkg(name='list', url='', help='Any objects, put together to one.'),

        '#new': d.fn('A List of `items`.', [items]),
        new(items):: { apiVersion: 'v1', kind: 'List' } + self.withItems(items),

        '#withItems': d.fn('Appends `items` to a List; an object is taken for a list of one.', [items]),
        withItems(items):: { items+: if std.isArray(items) then items else [items] },
      },
    },
  },
}

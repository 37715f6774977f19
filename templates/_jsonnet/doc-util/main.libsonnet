// What overlays document themselves with: the interface of docsonnet's doc-util
// (https://github.com/jsonnet-libs/docsonnet), as far as its pages need it.
local named(kind, value) = { [kind]: value };

{
  pkg(name, url, help, filename='', version=''):: { name: name, 'import': url, help: help },

  obj(help='', fields={}):: named('object', { help: help, fields: fields }),
  fn(help='', args=[]):: named('function', { help: help, args: args }),
  val(type, help='', default=null):: named('value', { type: type, help: help, default: default }),
  arg(name, type, default=null):: { name: name, type: type, default: default },

  package:: { new:: $.pkg },
  object:: {
    new:: $.obj,
    withFields(fields):: { object+: { fields: fields } },
  },
  func:: {
    new:: $.fn,
    withHelp(help):: { 'function'+: { help: help } },
    withArgs(args):: { 'function'+: { args: args } },
  },
  argument:: { new:: $.arg },
  value:: { new:: $.val },

  T:: {
    string: 'string',
    number: 'number',
    int: 'number',
    integer: 'number',
    boolean: 'bool',
    bool: 'bool',
    object: 'object',
    array: 'array',
    any: 'any',
    'null': 'null',
    nil: 'null',
    func: 'function',
    'function': 'function',
  },
}

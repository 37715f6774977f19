// Who may do what: roles and subjects by the objects themselves.
local d = import 'doc-util/main.libsonnet';

local binding = {
  '#bindRole': d.fn('The role that is bound: a Role or a ClusterRole.', [d.arg('role', d.T.object)]),
  bindRole(role):: {
    roleRef: {
      apiGroup: std.split(role.apiVersion, '/')[0],
      kind: role.kind,
      name: role.metadata.name,
    },
  },
};

{
  rbac+: {
    v1+: {
      clusterRoleBinding+: binding,
      roleBinding+: binding,

      subject+: {
        '#fromServiceAccount': d.fn('A ServiceAccount as a subject of a binding.', [d.arg('service_account', d.T.object)]),
        fromServiceAccount(service_account)::
          super.withKind('ServiceAccount')
          + super.withName(service_account.metadata.name)
          + super.withNamespace(service_account.metadata.namespace),
      },
    },
  },
}

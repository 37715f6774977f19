// Changes to all containers of a finished object, or to some of them.
local d = import 'doc-util/main.libsonnet';

// `mapped` is a mixin that applies a function to containers where they are.
local over(mapped) = {
  '#mapContainers': d.fn(
    |||
      A mixin for a finished object: every container becomes what `f` returns for it.

      ```ts
      f(container: Object): Object
      ```

      Init containers are left alone, unless `includeInitContainers` is true.
    |||,
    [d.arg('f', d.T.func)]
  ),
  mapContainers(f, includeInitContainers=false):: mapped(f, includeInitContainers),

  '#mapContainersWithName': d.fn(
    'Works like `mapContainers`, for the containers called one of `names` only.',
    [d.arg('names', d.T.array), d.arg('f', d.T.func)]
  ),
  mapContainersWithName(names, f, includeInitContainers=false)::
    local chosen = if std.isArray(names) then names else [names];
    local each(container) =
      if std.objectHas(container, 'name') && std.member(chosen, container.name)
      then f(container)
      else container;
    self.mapContainers(each, includeInitContainers),
};

local changed(pod, f, includeInitContainers) = {
  containers: std.map(f, pod.containers),
  [if includeInitContainers then 'initContainers']: std.map(f, pod.initContainers),
};

local inTemplate = over(function(f, includeInitContainers) {
  local pod = super.spec.template.spec,
  spec+: { template+: { spec+: changed(pod, f, includeInitContainers) } },
});

local inJobTemplate = over(function(f, includeInitContainers) {
  local pod = super.spec.jobTemplate.spec.template.spec,
  spec+: { jobTemplate+: { spec+: { template+: { spec+: changed(pod, f, includeInitContainers) } } } },
});

{
  apps+: {
    v1+: {
      daemonSet+: inTemplate,
      deployment+: inTemplate,
      replicaSet+: inTemplate,
      statefulSet+: inTemplate,
    },
  },
  batch+: {
    v1+: {
      cronJob+: inJobTemplate,
      job+: inTemplate,
    },
  },
  core+: {
    v1+: {
      pod+: inTemplate,
      podTemplate+: inTemplate,
      replicationController+: inTemplate,
    },
  },
}

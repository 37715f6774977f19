// Workloads with what each of them needs from the start: containers, and the
// labels by which a controller finds its pods.
local d = import 'doc-util/main.libsonnet';

local pods(spec, containers, labels) =
  spec.template.spec.withContainers(containers)
  + spec.template.metadata.withLabels(labels)
  + spec.selector.withMatchLabels(labels);

local name = d.arg('name', d.T.string);
local replicas = d.arg('replicas', d.T.int, 1);
local containers = d.arg('containers', d.T.array);
local podLabels = d.arg('podLabels', d.T.object, {});

{
  apps+: {
    v1+: {
      daemonSet+: {
        '#new'+: d.func.withArgs([name, containers, podLabels]),
        new(name, containers=[], podLabels={})::
          super.new(name)
          + pods(super.spec, containers, { name: name } + podLabels),
      },

      deployment+: {
        '#new'+: d.func.withArgs([name, replicas, containers, podLabels]),
        new(name, replicas=1, containers=error 'deployment.new: containers unset', podLabels={})::
          super.new(name)
          + (if replicas == null then {} else super.spec.withReplicas(replicas))
          + pods(super.spec, containers, { name: name } + podLabels),
      },

      statefulSet+: {
        '#new'+: d.func.withArgs([name, replicas, containers, d.arg('volumeClaims', d.T.array, []), podLabels]),
        new(name, replicas=1, containers=error 'statefulSet.new: containers unset', volumeClaims=[], podLabels={})::
          super.new(name)
          + super.spec.withReplicas(replicas)
          + pods(super.spec, containers, { name: name } + podLabels)
          // An empty list would show as a difference for ever.
          + (if std.length(volumeClaims) == 0 then {} else super.spec.withVolumeClaimTemplates(volumeClaims)),
      },
    },
  },

  batch+: {
    v1+: {
      cronJob+: {
        '#new'+: d.func.withArgs([name, d.arg('schedule', d.T.string), containers]),
        new(name, schedule='', containers=[])::
          super.new(name)
          + super.spec.withSchedule(schedule)
          + super.spec.jobTemplate.spec.template.spec.withContainers(containers)
          + super.spec.jobTemplate.spec.template.metadata.withLabels({ name: name }),
      },
    },
  },
}

// Volumes for a finished workload, mounted into its containers in one go.
local d = import 'doc-util/main.libsonnet';

// Where a workload has its pods: a CronJob one level deeper than all others.
local podsOf(spec) =
  if std.objectHas(spec, 'template') then spec.template else spec.jobTemplate.spec.template;

local args(own) = own + [
  d.arg('volumeMountMixin', d.T.object),
  d.arg('volumeMixin', d.T.object),
  d.arg('containers', d.T.array),
];

local help(what, example) =
  |||
    %s

    It is mounted into all containers, or into those whose names are in `containers`.
    `volumeMixin` is added to the volume and `volumeMountMixin` to each mount, such as
    `%s`.
  ||| % [what, example];

local name = d.arg('name', d.T.string);
local path = d.arg('path', d.T.string);
local readOnly = d.arg('readOnly', d.T.bool);
local mode = d.arg('defaultMode', d.T.int);

{
  local core = $.core.v1,

  // A mixin with `volume`, and `mount` in the containers that are asked for.
  local mounted(map, spec, volume, mount, containers, includeInitContainers) =
    local each(container) =
      if containers == null || std.member(containers, container.name)
      then container + core.container.withVolumeMountsMixin(mount)
      else container;
    map(each, includeInitContainers=includeInitContainers)
    + podsOf(spec).spec.withVolumesMixin([volume]),

  local mounts = {
    '#configVolumeMount': d.fn(
      help('Mounts the ConfigMap called `name` at `path`.', 'k.core.v1.volume.configMap.withDefaultMode(420)'),
      args([name, path])
    ),
    configVolumeMount(name, path, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromConfigMap(name, name) + volumeMixin,
        core.volumeMount.new(name, path) + volumeMountMixin,
        containers,
        includeInitContainers
      ),

    '#configMapVolumeMount': d.fn(
      help(
        'Mounts `configMap` at `path`. Its digest goes into an annotation of the pods, so that they are replaced when it changes.',
        'k.core.v1.volume.configMap.withDefaultMode(420)'
      ),
      args([d.arg('configMap', d.T.object), path])
    ),
    configMapVolumeMount(configMap, path, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      local name = configMap.metadata.name;
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromConfigMap(name, name) + volumeMixin,
        core.volumeMount.new(name, path) + volumeMountMixin,
        containers,
        includeInitContainers
      )
      + podsOf(super.spec).metadata.withAnnotationsMixin({
        [name + '-hash']: std.md5(std.toString(configMap)),
      }),

    '#hostVolumeMount': d.fn(
      help('Mounts the path `hostPath` of the node at `path`.', "k.core.v1.volume.hostPath.withType('Socket')"),
      args([name, d.arg('hostPath', d.T.string), path, readOnly])
    ),
    hostVolumeMount(name, hostPath, path, readOnly=false, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromHostPath(name, hostPath) + volumeMixin,
        core.volumeMount.new(name, path, readOnly) + volumeMountMixin,
        containers,
        includeInitContainers
      ),

    '#pvcVolumeMount': d.fn(
      help('Mounts what the PersistentVolumeClaim called `name` got at `path`.', 'k.core.v1.volume.persistentVolumeClaim.withReadOnly(true)'),
      args([name, path, readOnly])
    ),
    pvcVolumeMount(name, path, readOnly=false, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromPersistentVolumeClaim(name, name) + volumeMixin,
        core.volumeMount.new(name, path, readOnly) + volumeMountMixin,
        containers,
        includeInitContainers
      ),

    '#secretVolumeMount': d.fn(
      help('Mounts the Secret called `name` at `path`.', 'k.core.v1.volume.secret.withOptional(true)'),
      args([name, path, mode])
    ),
    secretVolumeMount(name, path, defaultMode=256, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromSecret(name, name) + core.volume.secret.withDefaultMode(defaultMode) + volumeMixin,
        core.volumeMount.new(name, path) + volumeMountMixin,
        containers,
        includeInitContainers
      ),

    '#secretVolumeMountAnnotated': d.fn(
      help('Works like `secretVolumeMount`, and annotates the pods with the digest of the name.', 'k.core.v1.volume.secret.withOptional(true)'),
      args([name, path, mode])
    ),
    // includeInitContainers is there for the sake of k8s-libsonnet, which drops it.
    secretVolumeMountAnnotated(name, path, defaultMode=256, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      self.secretVolumeMount(name, path, defaultMode, volumeMountMixin, volumeMixin, containers)
      + podsOf(super.spec).metadata.withAnnotationsMixin({
        [name + '-secret-hash']: std.md5(std.toString(name)),
      }),

    '#emptyVolumeMount': d.fn(
      help('Mounts a volume that is empty when the pod starts at `path`.', "k.core.v1.volume.emptyDir.withSizeLimit('100Mi')"),
      args([name, path])
    ),
    emptyVolumeMount(name, path, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromEmptyDir(name) + volumeMixin,
        core.volumeMount.new(name, path) + volumeMountMixin,
        containers,
        includeInitContainers
      ),

    '#csiVolumeMount': d.fn(
      help('Mounts a volume of a CSI driver at `path`.', 'k.core.v1.volume.csi.withReadOnly(false)'),
      args([name, path, d.arg('driver', d.T.string), d.arg('volumeAttributes', d.T.object)])
    ),
    csiVolumeMount(name, path, driver, volumeAttributes, volumeMountMixin={}, volumeMixin={}, containers=null, includeInitContainers=false)::
      mounted(
        super.mapContainers,
        super.spec,
        core.volume.fromCsi(name, driver, volumeAttributes) + volumeMixin,
        core.volumeMount.new(name, path) + volumeMountMixin,
        containers,
        includeInitContainers
      ),
  },

  apps+: {
    v1+: {
      daemonSet+: mounts,
      deployment+: mounts,
      replicaSet+: mounts,
      statefulSet+: mounts,
    },
  },
  batch+: {
    v1+: {
      cronJob+: mounts,
      job+: mounts,
    },
  },
}

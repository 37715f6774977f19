// Short ways to make the small objects that workloads are put together from.
local d = import 'doc-util/main.libsonnet';

// The API server drops an empty value, and then shows a difference for ever.
local withoutEmptyValue(env) =
  if std.objectHas(env, 'value') && std.length(env.value) == 0
  then { [name]: env[name] for name in std.objectFields(env) if name != 'value' }
  else env;

local amounts(cpu, memory) = {
  [if cpu != null then 'cpu']: cpu,
  [if memory != null then 'memory']: memory,
};

local name = d.arg('name', d.T.string);

{
  core+: {
    v1+: {
      configMap+: {
        local some(data, patch) = if data == {} then {} else patch,
        local withData(data) = some(data, super.withData(data)),

        withData:: withData,
        withDataMixin(data):: some(data, super.withDataMixin(data)),

        '#new': d.fn('A ConfigMap called `name` that holds `data`.', [name, d.arg('data', d.T.object)]),
        new(name, data={})::
          super.new(name)
          + super.metadata.withName(name)
          + withData(data),
      },

      container+: {
        '#new': d.fn('A container called `name` that runs `image`.', [name, d.arg('image', d.T.string)]),
        new(name, image):: super.withName(name) + super.withImage(image),

        withEnvMixin(env):: super.withEnvMixin([withoutEmptyValue(each) for each in env]),

        '#withEnvMap': d.fn(
          |||
            Appends environment variables, given as an object of names and values.

            A value that is an object becomes the variable's `valueFrom`.
          |||,
          [d.arg('env', d.T.object)]
        ),
        withEnvMap(env)::
          local envVar = $.core.v1.envVar;
          self.withEnvMixin([
            if std.isObject(env[name])
            then envVar.withName(name) + { valueFrom: env[name] }
            else envVar.new(name, env[name])
            for name in std.objectFields(env)
          ]),

        '#withResourcesRequests': d.fn('What the container needs; `null` for no request.', [d.arg('cpu', d.T.string), d.arg('memory', d.T.string)]),
        withResourcesRequests(cpu, memory):: self.resources.withRequests(amounts(cpu, memory)),

        '#withResourcesLimits': d.fn('What the container may use; `null` for no limit.', [d.arg('cpu', d.T.string), d.arg('memory', d.T.string)]),
        withResourcesLimits(cpu, memory):: self.resources.withLimits(amounts(cpu, memory)),
      },

      containerPort+: {
        local new(containerPort) = super.withContainerPort(containerPort),
        local newNamed(containerPort, name) = new(containerPort) + super.withName(name),
        local port = d.arg('containerPort', d.T.int),

        '#new': d.fn('A TCP port of a container.', [port]),
        new:: new,

        '#newNamed': d.fn('A TCP port with a name.', [port, name]),
        newNamed:: newNamed,

        '#newUDP': d.fn('A UDP port of a container.', [port]),
        newUDP(containerPort):: new(containerPort) + super.withProtocol('UDP'),

        '#newNamedUDP': d.fn('A UDP port with a name.', [port, name]),
        newNamedUDP(containerPort, name):: newNamed(containerPort, name) + super.withProtocol('UDP'),
      },

      envVar+: {
        '#new': d.fn('The environment variable `name` with a `value`.', [name, d.arg('value', d.T.string)]),
        new(name, value):: super.withName(name) + super.withValue(value),

        '#fromSecretRef': d.fn(
          'The environment variable `name` with the value of a key in a Secret.',
          [name, d.arg('secretRefName', d.T.string), d.arg('secretRefKey', d.T.string)]
        ),
        fromSecretRef(name, secretRefName, secretRefKey)::
          super.withName(name)
          + super.valueFrom.secretKeyRef.withName(secretRefName)
          + super.valueFrom.secretKeyRef.withKey(secretRefKey),

        '#fromFieldPath': d.fn(
          'The environment variable `name` with the value of a field of the pod.',
          [name, d.arg('fieldPath', d.T.string)]
        ),
        fromFieldPath(name, fieldPath)::
          super.withName(name)
          + super.valueFrom.fieldRef.withFieldPath(fieldPath),
      },

      keyToPath+: {
        '#new': d.fn('Puts a `key` into the file at `path`.', [d.arg('key', d.T.string), d.arg('path', d.T.string)]),
        new(key, path):: super.withKey(key) + super.withPath(path),
      },

      persistentVolume+: {
        '#new': d.fn('A PersistentVolume, with a name unless it is empty.', [name]),
        new(name=''):
          { apiVersion: 'v1', kind: 'PersistentVolume' }
          + (if name == '' then {} else self.metadata.withName(name)),
      },

      secret+: {
        '#new'+: d.func.withArgs([name, d.arg('data', d.T.object), d.arg('type', d.T.string, 'Opaque')]),
        new(name, data, type='Opaque')::
          super.new(name)
          + super.withData(data)
          + super.withType(type),
      },

      service+: {
        '#new'+: d.func.withArgs([name, d.arg('selector', d.T.object), d.arg('ports', d.T.array)]),
        new(name, selector, ports)::
          super.new(name)
          + super.spec.withSelector(selector)
          + super.spec.withPorts(ports),

        '#newWithoutSelector': d.fn('A Service that neither selects pods nor has ports yet.', [name]),
        newWithoutSelector(name):: super.new(name),
      },

      servicePort+: {
        local new(port, targetPort) = super.withPort(port) + super.withTargetPort(targetPort),
        local ports = [d.arg('port', d.T.int), d.arg('targetPort', d.T.any)],

        '#new': d.fn('Forwards `port` to `targetPort`, a number or the name of one.', ports),
        new:: new,

        '#newNamed': d.fn('Forwards `port` to `targetPort`, under a name.', [name] + ports),
        newNamed(name, port, targetPort):: new(port, targetPort) + super.withName(name),
      },

      volume+: {
        '#fromConfigMap': d.fn(
          'A volume with the keys of a ConfigMap as files: all, or those of `configMapItems`.',
          [name, d.arg('configMapName', d.T.string), d.arg('configMapItems', d.T.array)]
        ),
        fromConfigMap(name, configMapName, configMapItems=[])::
          super.withName(name)
          + super.configMap.withName(configMapName)
          + (if configMapItems == [] then {} else super.configMap.withItems(configMapItems)),

        '#fromCsi': d.fn(
          'A volume of a CSI driver, to be read only.',
          [name, d.arg('driver', d.T.string), d.arg('volumeAttributes', d.T.object, {})]
        ),
        fromCsi(name, driver, volumeAttributes={})::
          super.withName(name)
          + { csi: { driver: driver, readOnly: true, volumeAttributes: volumeAttributes } },

        '#fromEmptyDir': d.fn('A volume that is empty when the pod starts.', [name, d.arg('emptyDir', d.T.object, {})]),
        fromEmptyDir(name, emptyDir={}):: super.withName(name) + { emptyDir: emptyDir },

        '#fromHostPath': d.fn('A volume that is a path of the node.', [name, d.arg('hostPath', d.T.string)]),
        fromHostPath(name, hostPath):: super.withName(name) + super.hostPath.withPath(hostPath),

        '#fromPersistentVolumeClaim': d.fn('The volume that a PersistentVolumeClaim got.', [name, d.arg('claimName', d.T.string)]),
        // The claim's name was once called emptyDir.
        fromPersistentVolumeClaim(name, claimName='', emptyDir='')::
          local claim = if claimName == '' then emptyDir else claimName;
          assert claim != '' : 'claimName not set';
          super.withName(name) + super.persistentVolumeClaim.withClaimName(claim),

        '#fromSecret': d.fn('A volume with the keys of a Secret as files.', [name, d.arg('secretName', d.T.string)]),
        fromSecret(name, secretName):: super.withName(name) + super.secret.withSecretName(secretName),
      },

      volumeMount+: {
        '#new': d.fn(
          'Mounts the volume `name` at `mountPath`.',
          [name, d.arg('mountPath', d.T.string), d.arg('readOnly', d.T.bool)]
        ),
        new(name, mountPath, readOnly=false)::
          super.withName(name)
          + super.withMountPath(mountPath)
          + (if readOnly then self.withReadOnly(true) else {}),
      },
    },
  },
}

// What a HorizontalPodAutoscaler scales.
local d = import 'doc-util/main.libsonnet';

local scaling = {
  crossVersionObjectReference+: {
    '#withApiVersion':: d.fn('The API version of the object that is referred to.', [d.arg('apiversion', d.T.string)]),
    withApiVersion(apiversion): { apiVersion: apiversion },
  },

  horizontalPodAutoscaler+: {
    spec+: {
      '#withScaleTargetRef':: d.fn('Scales `object`: a Deployment, say, as its `new` returns it.', [d.arg('object', d.T.object)]),
      withScaleTargetRef(object): {
        spec+: {
          scaleTargetRef+: {
            apiVersion: object.apiVersion,
            kind: object.kind,
            name: object.metadata.name,
          },
        },
      },
    },
  },
};

{
  autoscaling+: {
    v1+: scaling,
    v2+: scaling,
  },
}

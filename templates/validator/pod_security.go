package main

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podsecurity "k8s.io/pod-security-admission/admission"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// podSecurityOption is a level of the Pod Security Standards, in the version of a release:
// v1.31, or latest if it is empty.
type podSecurityOption struct {
	Level   string `json:"level"`
	Version string `json:"version,omitempty"`
}

// podSecurityEvaluator has the checks of the release.
var podSecurityEvaluator = call(policy.NewEvaluator, policy.DefaultChecks())[0].(policy.Evaluator)

// checkPodSecurity compares a pod or a template of pods with the level of the request.
// A server refuses the pods only, and warns of templates.
func (asked *request) checkPodSecurity(created *object) error {
	if asked.PodSecurity == nil {
		return nil
	}
	level, err := asked.PodSecurity.parse()
	if err != nil {
		return err
	}
	plural, _ := meta.UnsafeGuessKindToResource(created.kind)
	resource := plural.GroupResource()
	extractor := podsecurity.DefaultPodSpecExtractor{}
	if !extractor.HasPodSpec(resource) {
		return nil
	}
	versioned, err := legacyscheme.Scheme.ConvertToVersion(created.internal, schema.GroupVersion{Group: created.kind.Group, Version: "v1"})
	if err != nil {
		return err
	}
	metadata, spec, err := extractor.ExtractPodSpec(versioned)
	if err != nil || spec == nil {
		return err
	}
	result := policy.AggregateCheckResults(podSecurityEvaluator.EvaluatePod(level, metadata, spec))
	if result.Allowed {
		return nil
	}
	asked.violation = fmt.Sprintf("violates PodSecurity %q: %s", level.String(), result.ForbiddenDetail())
	if created.kind.Kind != "Pod" {
		return nil
	}
	return apierrors.NewForbidden(resource, created.metadata.GetName(), fmt.Errorf("%s", asked.violation))
}

func (option *podSecurityOption) parse() (api.LevelVersion, error) {
	result := api.LevelVersion{Version: api.LatestVersion()}
	var err error
	if result.Level, err = api.ParseLevel(option.Level); err == nil && option.Version != "" {
		result.Version, err = api.ParseVersion(option.Version)
	}
	if err != nil {
		return result, apierrors.NewBadRequest(fmt.Sprintf("podSecurity: %v", err))
	}
	return result, nil
}

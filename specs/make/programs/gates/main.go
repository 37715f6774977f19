// Prints the feature gates of a release as its components register them.
package main

import (
	"errors"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	logs "k8s.io/component-base/logs/api/v1"
	metrics "k8s.io/component-base/metrics/features"
	_ "k8s.io/controller-manager/pkg/features/register"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app/features"
	_ "k8s.io/kubernetes/pkg/features"

	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	registered := utilfeature.DefaultMutableFeatureGate
	if err := errors.Join(logs.AddFeatureGates(registered), metrics.AddFeatureGates(registered)); err != nil {
		panic(err)
	}
	gates := registered.GetAll()
	for name, feature := range kubeadm.InitFeatureGates {
		gates[featuregate.Feature(name)] = feature.FeatureSpec
	}
	for name, spec := range gates {
		// These two turn on all gates of a stage.
		if name != "AllAlpha" && name != "AllBeta" {
			report.Row("feature-gates", string(name), stage(spec), state(spec.Default, "on", "off"), state(spec.LockToDefault, "locked", ""))
		}
	}
}

func stage(spec featuregate.FeatureSpec) string {
	if name := string(spec.PreRelease); name != "" {
		return strings.ToLower(name)
	}
	return "ga"
}

func state(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

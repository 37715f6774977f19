//go:build !kubernetes1.31

package main

import (
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
)

func init() {
	// registerLegacyGlobalFlags of cmd/kube-controller-manager/app.
	addToControllers = func(sets cliflag.NamedFlagSets) {
		set := sets.FlagSet("generic")
		globalflag.Register(set, "cloud-provider-gce-lb-src-cidrs")
		set.MarkDeprecated("cloud-provider-gce-lb-src-cidrs", "as the component says")
	}
}

//go:build !kubernetes1.31

package main

import (
	"github.com/spf13/pflag"

	"example.com/validator/flagsets"
)

func init() {
	// registerLegacyGlobalFlags of cmd/kube-apiserver/app/options, with clouds.
	added = append(added, flagsets.AddLoadBalancerCIDRs, func(set *pflag.FlagSet) {
		flagsets.AddCIDRs(set, "cloud-provider-gce-l7lb-src-cidrs", "130.211.0.0/22,35.191.0.0/16")
	})
}

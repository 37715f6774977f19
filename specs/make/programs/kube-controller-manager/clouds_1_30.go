//go:build !kubernetes1.31

package main

import "example.com/validator/flagsets"

func init() {
	// registerLegacyGlobalFlags of cmd/kube-controller-manager/app, with clouds.
	added = append(added, flagsets.AddLoadBalancerCIDRs)
}

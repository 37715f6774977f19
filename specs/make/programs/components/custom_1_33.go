//go:build !kubernetes1.34

package main

import (
	cliflag "k8s.io/component-base/cli/flag"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

func init() {
	addToAPIServer = func(sets cliflag.NamedFlagSets) {
		apiserver.AddCustomGlobalFlags(sets.FlagSet("generic"))
	}
}

//go:build !kubernetes1.30

package main

import "github.com/spf13/pflag"

func init() {
	// addLegacyCloudProviderCredentialProviderFlags of cmd/kubelet/app/options, with clouds:
	// the modules that these need are no longer there.
	added = append(added, func(set *pflag.FlagSet) {
		set.String("azure-container-registry-config", "", "")
		set.MarkDeprecated("azure-container-registry-config", "as the component says")
	})
}

//go:build !kubernetes1.31

package flagsets

import "github.com/spf13/pflag"

// Clouds are not linked (providerless), since modules that they need are no longer there; a
// flag that a cloud declares is declared here.
type cidrs string

func (c *cidrs) String() string   { return string(*c) }
func (c *cidrs) Set(string) error { return nil }
func (c *cidrs) Type() string     { return "cidrs" }

// AddLoadBalancerCIDRs adds the flag of GCE that kube-apiserver and kube-controller-manager
// have.
func AddLoadBalancerCIDRs(set *pflag.FlagSet) {
	AddCIDRs(set, "cloud-provider-gce-lb-src-cidrs", "130.211.0.0/22,209.85.152.0/22,209.85.204.0/22,35.191.0.0/16")
	set.MarkDeprecated("cloud-provider-gce-lb-src-cidrs", "as the component says")
}

// AddCIDRs adds a flag with a default.
func AddCIDRs(set *pflag.FlagSet, name, value string) {
	set.Var((*cidrs)(&value), name, "")
}

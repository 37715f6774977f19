// Package flagsets has the flags that several components share.
package flagsets

import (
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	// Its options are registered where a component is linked with it, as all are.
	_ "k8s.io/component-base/logs/json/register"
)

// All returns the flags of a component, with those that all components have.
func All(named cliflag.NamedFlagSets) []*pflag.FlagSet {
	globalflag.AddGlobalFlags(named.FlagSet("global"), "", logs.SkipLoggingConfigurationFlags())
	var sets []*pflag.FlagSet
	for _, name := range named.Order {
		sets = append(sets, named.FlagSets[name])
	}
	return sets
}

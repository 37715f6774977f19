// Prints the command line flags of kube-controller-manager.
package main

import (
	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"example.com/validator/flagsets"
	"example.com/validator/report"
)

// What older releases add to these flags.
var added []func(*pflag.FlagSet)

func main() {
	defer report.Flush()
	report.Flags("kube-controller-manager", func() report.Options {
		options, err := options.NewKubeControllerManagerOptions()
		if err != nil {
			panic(err)
		}
		sets := options.Flags(nil, nil, nil)
		for _, add := range added {
			add(sets.FlagSet("generic"))
		}
		return report.Options{Sets: flagsets.All(sets)}
	})
}

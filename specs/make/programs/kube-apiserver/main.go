// Prints the command line flags of kube-apiserver.
package main

import (
	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"example.com/validator/flagsets"
	"example.com/validator/report"
)

// What older releases add to these flags.
var added []func(*pflag.FlagSet)

func main() {
	defer report.Flush()
	report.Flags("kube-apiserver", func() report.Options {
		sets := options.NewServerRunOptions().Flags()
		for _, add := range added {
			add(sets.FlagSet("generic"))
		}
		return report.Options{Sets: flagsets.All(sets)}
	})
}

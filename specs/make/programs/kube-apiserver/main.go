// Prints the command line flags of kube-apiserver.
package main

import (
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"example.com/validator/flagsets"
	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	report.Flags("kube-apiserver", func() report.Options {
		return report.Options{Sets: flagsets.All(options.NewServerRunOptions().Flags())}
	})
}

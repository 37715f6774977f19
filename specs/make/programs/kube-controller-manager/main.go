// Prints the command line flags of kube-controller-manager.
package main

import (
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"example.com/validator/flagsets"
	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	report.Flags("kube-controller-manager", func() report.Options {
		options, err := options.NewKubeControllerManagerOptions()
		if err != nil {
			panic(err)
		}
		return report.Options{Sets: flagsets.All(options.Flags(nil, nil, nil))}
	})
}

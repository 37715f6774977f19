// Prints the command line flags of kube-scheduler.
package main

import (
	file "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"example.com/validator/flagsets"
	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	report.Flags("kube-scheduler", func() report.Options {
		options := options.NewOptions()
		return report.Options{Sets: flagsets.All(*options.Flags), File: func() (any, error) {
			config, err := latest.Default()
			if err != nil {
				return nil, err
			}
			options.ComponentConfig = config
			options.ApplyDeprecated()
			options.ApplyLeaderElectionTo(options.ComponentConfig)
			file := &file.KubeSchedulerConfiguration{}
			return file, scheme.Scheme.Convert(options.ComponentConfig, file, nil)
		}}
	})
}

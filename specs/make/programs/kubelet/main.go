// Prints the command line flags of the kubelet. It is a program of its own, since a library
// of it declares flags of the whole program.
package main

import (
	"github.com/spf13/pflag"
	_ "k8s.io/component-base/logs/json/register"
	kubeletfile "k8s.io/kubelet/config/v1beta1"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"

	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	kinds, _, err := scheme.NewSchemeAndCodecs()
	if err != nil {
		panic(err)
	}
	report.Flags("kubelet", func() report.Options {
		config, err := options.NewKubeletConfiguration()
		if err != nil {
			panic(err)
		}
		set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
		options.NewKubeletFlags().AddFlags(set)
		options.AddKubeletConfigFlags(set, config)
		options.AddGlobalFlags(set)
		return report.Options{Sets: []*pflag.FlagSet{set}, File: func() (any, error) {
			file := &kubeletfile.KubeletConfiguration{}
			return file, kinds.Convert(config, file, nil)
		}}
	})
}

// Prints the command line flags of kube-proxy.
package main

import (
	"reflect"
	"unsafe"

	"github.com/spf13/pflag"
	// Its options are registered where a component is linked with it, as all are.
	_ "k8s.io/component-base/logs/json/register"
	file "k8s.io/kube-proxy/config/v1alpha1"
	"k8s.io/kubernetes/cmd/kube-proxy/app"
	"k8s.io/kubernetes/pkg/proxy/apis/config/scheme"

	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	report.Flags("kube-proxy", func() report.Options {
		options := app.NewOptions()
		set := pflag.NewFlagSet("kube-proxy", pflag.ContinueOnError)
		options.AddFlags(set)
		return report.Options{Sets: []*pflag.FlagSet{set}, File: func() (any, error) {
			if err := options.Complete(set); err != nil {
				return nil, err
			}
			// Nothing that is exported has it.
			field := reflect.ValueOf(options).Elem().FieldByName("config")
			config := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface()
			file := &file.KubeProxyConfiguration{}
			return file, scheme.Scheme.Convert(config, file, nil)
		}}
	})
}

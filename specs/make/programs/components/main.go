// Prints the command line flags of kube-apiserver, kube-controller-manager, kube-scheduler
// and kube-proxy as they register them.
package main

import (
	"reflect"
	"unsafe"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	// Its options are registered where a component is linked with it, as all are.
	_ "k8s.io/component-base/logs/json/register"
	proxyfile "k8s.io/kube-proxy/config/v1alpha1"
	schedulerfile "k8s.io/kube-scheduler/config/v1"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	proxyscheme "k8s.io/kubernetes/pkg/proxy/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	schedulerscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"example.com/validator/report"
)

// What older releases add to the flags of kube-apiserver and kube-controller-manager.
var addToAPIServer, addToControllers = none, none

func none(cliflag.NamedFlagSets) {}

func main() {
	defer report.Flush()
	report.Flags("kube-apiserver", func() report.Options {
		sets := apiserver.NewServerRunOptions().Flags()
		addToAPIServer(sets)
		return report.Options{Sets: all(sets)}
	})
	report.Flags("kube-controller-manager", func() report.Options {
		options, err := controllers.NewKubeControllerManagerOptions()
		if err != nil {
			panic(err)
		}
		sets := options.Flags(nil, nil, nil)
		addToControllers(sets)
		return report.Options{Sets: all(sets)}
	})
	report.Flags("kube-scheduler", func() report.Options {
		options := scheduler.NewOptions()
		return report.Options{Sets: all(*options.Flags), File: func() (any, error) {
			config, err := latest.Default()
			if err != nil {
				return nil, err
			}
			options.ComponentConfig = config
			options.ApplyDeprecated()
			options.ApplyLeaderElectionTo(options.ComponentConfig)
			file := &schedulerfile.KubeSchedulerConfiguration{}
			return file, schedulerscheme.Scheme.Convert(options.ComponentConfig, file, nil)
		}}
	})
	report.Flags("kube-proxy", func() report.Options {
		options := proxy.NewOptions()
		set := pflag.NewFlagSet("kube-proxy", pflag.ContinueOnError)
		options.AddFlags(set)
		return report.Options{Sets: []*pflag.FlagSet{set}, File: func() (any, error) {
			if err := options.Complete(set); err != nil {
				return nil, err
			}
			// Nothing that is exported has it.
			field := reflect.ValueOf(options).Elem().FieldByName("config")
			config := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface()
			file := &proxyfile.KubeProxyConfiguration{}
			return file, proxyscheme.Scheme.Convert(config, file, nil)
		}}
	})
}

// The flags of a component, with those that all components have.
func all(named cliflag.NamedFlagSets) []*pflag.FlagSet {
	globalflag.AddGlobalFlags(named.FlagSet("global"), "", logs.SkipLoggingConfigurationFlags())
	var sets []*pflag.FlagSet
	for _, name := range named.Order {
		sets = append(sets, named.FlagSets[name])
	}
	return sets
}

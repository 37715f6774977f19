// Command configurations reads configuration files as the programs of Kubernetes do.
//
// Each line of its input is an object in JSON; each line of its output has the error of
// the strict decoder, or the object with the defaults that the program fills in.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	resourcequota "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/install"
	webhookadmission "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/install"
	apiserver "k8s.io/apiserver/pkg/apis/apiserver/install"
	admission "k8s.io/apiserver/pkg/apis/apiserver/v1"
	audit "k8s.io/apiserver/pkg/apis/audit/install"
	controllersv1 "k8s.io/controller-manager/config/v1"
	controllersv1alpha1 "k8s.io/controller-manager/config/v1alpha1"
	controllersv1beta1 "k8s.io/controller-manager/config/v1beta1"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme"
	credentials "k8s.io/kubernetes/pkg/kubelet/apis/config"
	credentialsv1 "k8s.io/kubernetes/pkg/kubelet/apis/config/v1"
	credentialsv1alpha1 "k8s.io/kubernetes/pkg/kubelet/apis/config/v1alpha1"
	credentialsv1beta1 "k8s.io/kubernetes/pkg/kubelet/apis/config/v1beta1"
	proxy "k8s.io/kubernetes/pkg/proxy/apis/config/scheme"
	scheduler "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	eventratelimit "k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/apis/eventratelimit/install"
	podtolerationrestriction "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/install"
	podsecurity "k8s.io/pod-security-admission/admission/api/scheme"
)

func main() {
	kubelet := schemeOf(
		credentials.AddToScheme, credentialsv1.AddToScheme,
		credentialsv1alpha1.AddToScheme, credentialsv1beta1.AddToScheme,
	)
	controllers := schemeOf(
		controllersv1.AddToScheme, controllersv1alpha1.AddToScheme, controllersv1beta1.AddToScheme,
	)
	server := runtime.NewScheme()
	for _, install := range []func(*runtime.Scheme){
		apiserver.Install, audit.Install, resourcequota.Install, webhookadmission.Install,
		eventratelimit.Install, podtolerationrestriction.Install,
	} {
		install(server)
	}
	schemes := []*runtime.Scheme{
		kubelet, server, kubeadm.Scheme, proxy.Scheme, scheduler.Scheme, podsecurity.Scheme,
		controllers,
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		object, err := decode(lines.Bytes(), schemes)
		answer := map[string]any{"object": object}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		if err := output.Encode(answer); err != nil {
			panic(err)
		}
	}
}

func schemeOf(adders ...func(*runtime.Scheme) error) *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range adders {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

func decode(data []byte, schemes []*runtime.Scheme) (runtime.Object, error) {
	var first error
	for _, scheme := range schemes {
		codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
		object, _, err := codecs.UniversalDeserializer().Decode(data, nil, nil)
		if outer, ok := object.(runtime.NestedObjectDecoder); ok && err == nil {
			err = outer.DecodeNestedObjects(codecs.UniversalDeserializer())
		}
		if outer, ok := object.(*admission.AdmissionConfiguration); ok && err == nil {
			for _, plugin := range outer.Plugins {
				if plugin.Configuration != nil && err == nil {
					_, err = decode(plugin.Configuration.Raw, schemes)
				}
			}
		}
		if err == nil {
			scheme.Default(object)
			return object, nil
		}
		if !runtime.IsNotRegisteredError(err) || first == nil {
			first = err
		}
	}
	return nil, first
}

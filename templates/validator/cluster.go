package main

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/utils/clock"
	"k8s.io/utils/net"
)

// What constructors of strategies take (strategies in specs/facts).
var (
	namespaces corev1.NamespaceInterface = anyNamespace{}
	scheme                               = legacyscheme.Scheme
	resources                            = anyResource{}
	time                                 = clock.RealClock{}
	// What a user may not do is the cluster's to say.
	authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
)

// anyNamespace answers that a namespace is there and permits what its labels can permit:
// what depends on a cluster is never refused.
type anyNamespace struct {
	corev1.NamespaceInterface
}

// Get implements corev1.NamespaceInterface.
func (anyNamespace) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Namespace, error) {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:   name,
		Labels: map[string]string{"resource.kubernetes.io/admin-access": "true", "resource.k8s.io/admin-access": "true"},
	}}, nil
}

// anyResource answers that each kind has a resource of its name.
type anyResource struct{}

// Resolve implements resolver.ResourceResolver.
func (anyResource) Resolve(kind schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural, nil
}

// allocate fills in what the registry of Services allocates before it validates
// (k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go). Any free address and
// port of a cluster would do; the function that it returns takes them away again, as it
// does with what is made of the UID of a Job.
func allocate(created runtime.Object) (release func()) {
	if job, ok := created.(*batch.Job); ok {
		before := job.DeepCopy()
		return func() {
			job.Spec.Selector, job.Spec.Template.Labels = before.Spec.Selector, before.Spec.Template.Labels
		}
	}
	service, ok := created.(*core.Service)
	if !ok || service.Spec.Type == core.ServiceTypeExternalName {
		return func() {}
	}
	spec := &service.Spec
	address, addresses, port := spec.ClusterIP, spec.ClusterIPs, spec.HealthCheckNodePort
	if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIP = "10.0.0.9"
		if len(spec.IPFamilies) > 0 && spec.IPFamilies[0] == core.IPv6Protocol {
			spec.ClusterIP = "fd00::9"
		}
	}
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	// A cluster may have both families.
	for i, address := range spec.ClusterIPs {
		if address != core.ClusterIPNone && i >= len(spec.IPFamilies) {
			spec.IPFamilies = append(spec.IPFamilies, familyOf(address))
		}
	}
	if spec.IPFamilyPolicy == nil {
		policy := core.IPFamilyPolicySingleStack
		spec.IPFamilyPolicy = &policy
	}
	isLocal := spec.ExternalTrafficPolicy == "Local"
	if spec.Type == core.ServiceTypeLoadBalancer && isLocal && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = 32000
	}
	return func() {
		spec.ClusterIP, spec.ClusterIPs, spec.HealthCheckNodePort = address, addresses, port
	}
}

func familyOf(address string) core.IPFamily {
	if net.IsIPv6String(address) {
		return core.IPv6Protocol
	}
	return core.IPv4Protocol
}

// keepAllocated fills in what the registry of Services keeps of the old object in an
// update before it validates (k8s.io/kubernetes/pkg/registry/core/service/storage): one
// of clusterIP and clusterIPs follows where only the other one is changed.
func keepAllocated(updated, old runtime.Object) {
	service, ok := updated.(*core.Service)
	before, alsoOK := old.(*core.Service)
	if !ok || !alsoOK {
		return
	}
	spec := &service.Spec
	areSame := slices.Equal(spec.ClusterIPs, before.Spec.ClusterIPs)
	switch {
	case areSame && spec.ClusterIP == "":
		spec.ClusterIPs = nil
	case areSame && spec.ClusterIP != before.Spec.ClusterIP && len(spec.ClusterIPs) > 0:
		spec.ClusterIPs = append([]string{spec.ClusterIP}, spec.ClusterIPs[1:]...)
	case len(spec.ClusterIPs) == 0 && spec.ClusterIP == before.Spec.ClusterIP:
		spec.ClusterIP = ""
	}
	if spec.Type == core.ServiceTypeExternalName || before.Spec.Type == core.ServiceTypeExternalName {
		return
	}
	if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIP, spec.ClusterIPs = before.Spec.ClusterIP, before.Spec.ClusterIPs
	}
}

// setFeatureGates sets the gates of a request; the function that it returns restores
// them.
func setFeatureGates(gates map[string]bool) (restore func(), err error) {
	before := map[string]bool{}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for name, enabled := range gates {
		gate := featuregate.Feature(name)
		if _, ok := known[gate]; !ok {
			return func() {}, apierrors.NewBadRequest(fmt.Sprintf("the release has no feature gate %q", name))
		}
		if current := utilfeature.DefaultFeatureGate.Enabled(gate); current != enabled {
			before[name] = current
		}
	}
	changes := map[string]bool{}
	for name := range before {
		changes[name] = gates[name]
	}
	restore = func() {
		if len(before) > 0 {
			_ = utilfeature.DefaultMutableFeatureGate.SetFromMap(before)
		}
	}
	if len(changes) > 0 {
		err = utilfeature.DefaultMutableFeatureGate.SetFromMap(changes)
	}
	return restore, err
}

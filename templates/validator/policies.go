package main

import (
	"context"
	"errors"
	"io"
	"sort"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	endpoints "k8s.io/apiserver/pkg/endpoints/request"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var (
	validatingPolicy = schema.GroupKind{Group: admissionregistration.GroupName, Kind: "ValidatingAdmissionPolicy"}
	mutatingPolicy   = schema.GroupKind{Group: admissionregistration.GroupName, Kind: "MutatingAdmissionPolicy"}
)

// The plugin of policies that mutate reads the schemas of the cluster after it has started.
const (
	triesForSchemas = 100
	pause           = 20 * 1_000_000
)

// policies are the admission policies of a prepared set, in the plugins of a server whose
// cluster has the objects of the set.
type policies struct {
	mutating   admission.MutationInterface
	validating []admission.ValidationInterface
	interfaces admission.ObjectInterfaces
	stopped    chan struct{}
	// namespaces are what each plugin knows of namespaces.
	namespaces []cache.SharedIndexInformer
}

// checkPolicy says why a policy of the set cannot be evaluated.
func checkPolicy(schema.GroupKind) error {
	return nil
}

// newPolicies starts the plugins for the policies of a set; nil where it has none.
//
// A plugin stops at the first policy that denies an object, and has them in no order: each
// policy that validates has its own. Policies that mutate see what others did.
func newPolicies(set *preparedSet) (*policies, error) {
	var validatingPolicies, mutatingPolicies, others []*object
	for _, stored := range set.objects {
		switch stored.kind.GroupKind() {
		case validatingPolicy:
			validatingPolicies = append(validatingPolicies, stored)
		case mutatingPolicy:
			mutatingPolicies = append(mutatingPolicies, stored)
		default:
			others = append(others, stored)
		}
	}
	if len(validatingPolicies)+len(mutatingPolicies) == 0 {
		return nil, nil
	}
	sort.SliceStable(validatingPolicies, func(i, j int) bool {
		return validatingPolicies[i].metadata.GetName() < validatingPolicies[j].metadata.GetName()
	})
	kinds, interfaces := servedKinds(set)
	result := &policies{interfaces: interfaces, stopped: make(chan struct{})}
	for _, policy := range validatingPolicies {
		cluster := &preparedCluster{append([]*object{policy}, others...), set.custom, kinds}
		plugin, err := result.newPlugin(cluster, validating.PluginName, validating.Register)
		if err != nil {
			return nil, err
		}
		result.validating = append(result.validating, plugin.(admission.ValidationInterface))
	}
	if len(mutatingPolicies) > 0 {
		cluster := &preparedCluster{append(mutatingPolicies, others...), set.custom, kinds}
		plugin, err := result.newPlugin(cluster, mutatingPlugin, registerMutating)
		if err != nil {
			return nil, err
		}
		result.mutating = plugin.(admission.MutationInterface)
	}
	return result, nil
}

// newPlugin starts a plugin that reads its policies from a cluster.
func (started *policies) newPlugin(cluster *preparedCluster, name string, register func(*admission.Plugins)) (admission.Interface, error) {
	configuration := &restclient.Config{Host: "http://prepared", Transport: cluster, QPS: -1}
	client, err := kubernetes.NewForConfig(configuration)
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(configuration)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	started.namespaces = append(started.namespaces, factory.Core().V1().Namespaces().Informer())
	// Some releases evaluate policies only with a feature gate: whoever names policies
	// wants them evaluated.
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	_ = gates.SetFromMap(map[string]bool{mutatingPlugin: true})
	plugins := admission.NewPlugins()
	register(plugins)
	plugin, err := plugins.NewFromPlugins([]string{name}, noConfiguration{}, call(
		initializer.New, client, dynamicClient, factory, gates, started.stopped, cluster.kinds,
		// No cluster has rules of RBAC: administrators may do all, others nothing.
		authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup),
	)[0].(admission.PluginInitializer), nil)
	if err != nil {
		return nil, err
	}
	factory.Start(started.stopped)
	return plugin, nil
}

// noConfiguration is that of plugins without files. It implements admission.ConfigProvider.
type noConfiguration struct{}

// ConfigFor implements admission.ConfigProvider.
func (noConfiguration) ConfigFor(string) (io.Reader, error) {
	return nil, nil
}

// stop ends the plugins.
func (started *policies) stop() {
	if started != nil {
		close(started.stopped)
	}
}

// mutate applies the policies that mutate to an object.
func (started *policies) mutate(ctx context.Context, operation admission.Operation, options runtime.Object, target, old *object) error {
	if started == nil || started.mutating == nil {
		return nil
	}
	started.addNamespace(endpoints.NamespaceValue(ctx))
	admit := func() error {
		return started.mutating.Admit(ctx, attributes(ctx, operation, options, target, old), started.interfaces)
	}
	err := admit()
	for tries := 0; apierrors.IsServiceUnavailable(err) && tries < triesForSchemas; tries++ {
		<-time.After(pause)
		err = admit()
	}
	return asDenied(err)
}

// validate asks the policies that validate: of a deletion, there is only an old object.
func (started *policies) validate(ctx context.Context, operation admission.Operation, options runtime.Object, target, old *object) error {
	if started == nil {
		return nil
	}
	started.addNamespace(endpoints.NamespaceValue(ctx))
	var problems []error
	for _, policy := range started.validating {
		// What a policy reads it must not change for others.
		if err := policy.Validate(ctx, attributes(ctx, operation, options, target, old), started.interfaces); err != nil {
			problems = append(problems, err)
		}
	}
	return asDenied(problems...)
}

// asDenied is the first refusal, with the messages of all.
func asDenied(problems ...error) error {
	var result denied
	for _, problem := range problems {
		var status *apierrors.StatusError
		if problem == nil {
			continue
		}
		if !errors.As(problem, &status) {
			return problem
		}
		if result.StatusError == nil {
			result.StatusError = status
		}
		result.messages = append(result.messages, status.ErrStatus.Message)
	}
	if result.StatusError == nil {
		return nil
	}
	return result
}

// addNamespace adds the namespace of a request where it was not prepared: until 1.32,
// plugins ask no client about those that they do not know.
func (started *policies) addNamespace(name string) {
	if name == "" {
		return
	}
	for _, known := range started.namespaces {
		cache.WaitForCacheSync(started.stopped, known.HasSynced)
		if _, isThere, _ := known.GetIndexer().GetByKey(name); !isThere {
			_ = known.GetIndexer().Add(newNamespace(name))
		}
	}
}

// attributes are what plugins get to know of a request.
func attributes(ctx context.Context, operation admission.Operation, options runtime.Object, target, old *object) admission.Attributes {
	info, _ := endpoints.RequestInfoFrom(ctx)
	sender, _ := endpoints.UserFrom(ctx)
	var current, previous runtime.Object
	described := target
	if target != nil {
		current = target.internal
	}
	if old != nil {
		previous = old.internal
	}
	if target == nil {
		described = old
	}
	return admission.NewAttributesRecord(
		current, previous, described.kind, info.Namespace, described.metadata.GetName(),
		resourceOf(info), info.Subresource, operation, options, false, sender,
	)
}

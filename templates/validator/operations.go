package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	endpoints "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// generatedSuffix ends names that a server generates from metadata.generateName.
const generatedSuffix = "abcde"

// generatedUID is what every object has for the random one of a server.
const generatedUID = "00000000-0000-4000-8000-000000000000"

// statusSubresource is where controllers write what they have observed.
const statusSubresource = "status"

// strategy is what a server asks about the objects of a kind.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// perform carries out the operation of a request.
func (asked *request) perform() (answer, error) {
	if asked.Operation == "version" {
		sandbox := "seccomp"
		if sandboxProblem != nil {
			sandbox = sandboxProblem.Error()
		}
		return answer{Code: http.StatusOK, Protocol: protocolVersion, Release: release, Sandbox: sandbox}, nil
	}
	restore, err := setFeatureGates(asked.FeatureGates)
	defer restore()
	if err != nil {
		return answer{}, err
	}
	allowPrivileged(asked.Privileged == nil || *asked.Privileged)
	if err := asked.findSet(); err != nil {
		return answer{}, err
	}
	if asked.Operation == "prepare" {
		return asked.prepare()
	}
	recorder := &warningRecorder{}
	result := answer{Code: http.StatusOK}
	switch asked.Operation {
	case "create":
		_, err = asked.create(asked.Object, recorder)
		result.Code = http.StatusCreated
	case "default":
		var created *object
		if created, err = asked.create(asked.Object, recorder); err == nil {
			result.Object, err = created.asStored()
		}
	case "update":
		_, err = asked.update("", recorder)
	case "status":
		// What the object has of its status is written after it was created.
		asked.Old = asked.Object
		var updated *object
		if updated, err = asked.update(statusSubresource, recorder); err == nil {
			result.Object, err = updated.asStored()
		}
	case "delete":
		err = asked.remove(recorder)
	case "convert":
		result.Object, err = asked.convert()
	default:
		err = apierrors.NewBadRequest(fmt.Sprintf("unknown operation %q", asked.Operation))
	}
	result.Warnings = recorder.warnings
	return result, err
}

// object is a manifest that was decoded: in the version that it was written in, and as
// the code of the server sees it.
type object struct {
	kind      schema.GroupVersionKind
	versioned runtime.Object
	internal  runtime.Object
	metadata  metav1.Object
	// custom is the version of a custom resource.
	custom *customVersion
	// release takes away what depends on a cluster.
	release func()
}

// decode reads a manifest as a server does that is asked for strict validation.
func (asked *request) decode(data []byte, recorder *warningRecorder) (*object, error) {
	if err := checkSize(data); err != nil {
		return nil, err
	}
	if custom := asked.set.customVersionOf(data); custom != nil {
		return custom.decode(data, recorder)
	}
	versioned, kind, err := strictSerializer().Decode(data, nil, nil)
	if err != nil {
		return nil, decodingError(err, kind)
	}
	recorder.addDeprecation(versioned, kind)
	legacyscheme.Scheme.Default(versioned)
	internal, err := legacyscheme.Scheme.ConvertToVersion(versioned, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, decodingError(err, kind)
	}
	metadata, err := meta.Accessor(internal)
	if err != nil {
		// Options and events of watches are no objects that a server stores.
		return nil, notStored(*kind)
	}
	return &object{kind: *kind, versioned: versioned, internal: internal, metadata: metadata}, nil
}

func strictSerializer() runtime.Serializer {
	for _, info := range legacyscheme.Codecs.SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeJSON {
			return info.StrictSerializer
		}
	}
	panic("the server reads no JSON")
}

// decodingError is what the handlers of a server make of an error of its decoder
// (transformDecodeError in k8s.io/apiserver/pkg/endpoints/handlers/rest.go).
func decodingError(err error, kind *schema.GroupVersionKind) error {
	if runtime.IsNotRegisteredError(err) {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, "")
	}
	if kind == nil || kind.Kind == "" {
		return apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error())
	}
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err))
}

// strategy is the strategy of an object's kind.
func (stored *object) strategy() (strategy, error) {
	if stored.custom != nil {
		err := stored.custom.prepareRules()
		return stored.custom.rules, err
	}
	found, ok := strategies[stored.kind.GroupKind()]
	if !ok {
		return nil, notStored(stored.kind)
	}
	return found, nil
}

// updateStrategy is the strategy of an update of an object, or of its status.
func (stored *object) updateStrategy(subresource string) (rest.RESTUpdateStrategy, error) {
	rules, err := stored.strategy()
	if subresource == "" || err != nil {
		return rules, err
	}
	found := statusStrategies[stored.kind.GroupKind()]
	if stored.custom != nil {
		found = stored.custom.statusRules
	}
	if found == nil {
		return nil, notServed(stored.kind, http.MethodPut)
	}
	return found, nil
}

func notStored(kind schema.GroupVersionKind) error {
	return apierrors.NewMethodNotSupported(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, "create")
}

// requestContext is the context of a request for an object.
func (asked *request) requestContext(verb, subresource string, target *object, namespaced bool, recorder *warningRecorder) context.Context {
	namespace := ""
	if namespaced {
		namespace = target.metadata.GetNamespace()
		if namespace == "" {
			namespace = asked.Namespace
		}
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
	}
	sender := &user.DefaultInfo{Name: asked.User, Groups: asked.Groups}
	if asked.User == "" {
		sender = &user.DefaultInfo{Name: "system:admin", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}
	}
	resource, _ := meta.UnsafeGuessKindToResource(target.kind)
	if target.custom != nil {
		resource.Resource = target.custom.of.definition.Spec.Names.Plural
	}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	ctx = endpoints.WithUser(ctx, sender)
	ctx = endpoints.WithNamespace(ctx, namespace)
	return endpoints.WithRequestInfo(ctx, &endpoints.RequestInfo{
		IsResourceRequest: true,
		Verb:              verb,
		APIGroup:          target.kind.Group,
		APIVersion:        target.kind.Version,
		Namespace:         namespace,
		Resource:          resource.Resource,
		Subresource:       subresource,
		Name:              target.metadata.GetName(),
	})
}

// checkServed is the error of a client whose server has no resource for the kind of a
// manifest. The server's code reads types that it does not serve any more: it converts
// what was stored as one.
func (asked *request) checkServed(data []byte, verb string) error {
	kind, err := jsonserializer.DefaultMetaFactory.Interpret(data)
	isUnclear := err != nil || kind.Kind == "" || kind.Version == ""
	if isUnclear || served[*kind] || asked.set.customVersionOf(data) != nil {
		return nil
	}
	return notServed(*kind, verb)
}

func notServed(kind schema.GroupVersionKind, verb string) error {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return apierrors.NewGenericServerResponse(http.StatusNotFound, verb, resource.GroupResource(), "", "", 0, false)
}

// create decides about a new object, and prepares it to be stored.
func (asked *request) create(data []byte, recorder *warningRecorder) (*object, error) {
	if err := asked.checkServed(data, http.MethodPost); err != nil {
		return nil, err
	}
	created, ctx, err := asked.makeObject(data, recorder)
	if err != nil {
		return created, err
	}
	if err := asked.checkPodSecurity(created); err != nil {
		return created, err
	}
	return created, asked.admission().validate(ctx, admission.Create, &metav1.CreateOptions{}, created, nil)
}

// makeObject prepares a new object to be stored, which was not asked about yet.
func (asked *request) makeObject(data []byte, recorder *warningRecorder) (*object, context.Context, error) {
	created, err := asked.decode(data, recorder)
	if err != nil {
		return nil, nil, err
	}
	rules, err := created.strategy()
	if err != nil {
		return nil, nil, err
	}
	ctx := asked.requestContext("create", "", created, rules.NamespaceScoped(), recorder)
	rest.WipeObjectMetaSystemFields(created.metadata)
	if !rules.NamespaceScoped() {
		created.metadata.SetNamespace("")
	}
	removeEqualOwners(created.metadata, recorder)
	if err := ensureNamespace(ctx, rules, created.metadata); err != nil {
		return nil, nil, err
	}
	if err := asked.admission().mutate(ctx, admission.Create, &metav1.CreateOptions{}, created, nil); err != nil {
		return nil, nil, err
	}
	rest.FillObjectMetaSystemFields(created.metadata)
	// Messages have it, which are equal for equal requests.
	created.metadata.SetUID(generatedUID)
	if created.metadata.GetName() == "" && created.metadata.GetGenerateName() != "" {
		created.metadata.SetName(created.metadata.GetGenerateName() + generatedSuffix)
	}
	created.release = allocate(created.internal)
	if err := rest.BeforeCreate(rules, ctx, created.internal); err != nil {
		return created, ctx, withFieldErrors(err, func() field.ErrorList {
			return createErrors(ctx, rules, created.internal, created.metadata)
		})
	}
	return created, ctx, nil
}

// ensureNamespace gives an object the namespace of the request, as the handlers of a
// server do.
func ensureNamespace(ctx context.Context, rules rest.RESTUpdateStrategy, metadata metav1.Object) error {
	expected := rest.ExpectedNamespaceForScope(endpoints.NamespaceValue(ctx), rules.NamespaceScoped())
	return rest.EnsureObjectNamespaceMatchesRequestNamespace(expected, metadata)
}

// removeEqualOwners leaves each owner of an object once, as the handlers of a server do
// (dedupOwnerReferences in k8s.io/apiserver/pkg/endpoints/handlers/rest.go).
func removeEqualOwners(metadata metav1.Object, recorder *warningRecorder) {
	var owners []metav1.OwnerReference
	for _, owner := range metadata.GetOwnerReferences() {
		isNew := true
		for _, earlier := range owners {
			isNew = isNew && !equality.Semantic.DeepEqual(owner, earlier)
		}
		if isNew {
			owners = append(owners, owner)
		}
	}
	if len(owners) < len(metadata.GetOwnerReferences()) {
		recorder.AddWarning("", "metadata.ownerReferences: an owner is there twice")
		metadata.SetOwnerReferences(owners)
	}
}

// update decides about applying a manifest where another one had been applied.
//
// The old object is one as it is created. What a manifest leaves out stays as it is, as
// with kubectl apply. Returns the updated object, prepared to be stored.
func (asked *request) update(subresource string, recorder *warningRecorder) (*object, error) {
	if err := asked.checkServed(asked.Object, http.MethodPut); err != nil {
		return nil, err
	}
	old, _, err := asked.makeObject(asked.Old, &warningRecorder{})
	if err != nil {
		return nil, refusedOld{err}
	}
	old.metadata.SetResourceVersion("1")
	if subresource == statusSubresource {
		// The spec stays as the old object has it, which nobody validates again.
		old.release()
	}
	data, err := asked.merge(old)
	if err != nil {
		return nil, err
	}
	updated, err := asked.decode(data, recorder)
	if err != nil {
		return nil, err
	}
	rules, err := updated.updateStrategy(subresource)
	if err != nil {
		return nil, err
	}
	keepAllocated(updated.internal, old.internal)
	ctx := asked.requestContext("update", subresource, updated, rules.NamespaceScoped(), recorder)
	if err := ensureNamespace(ctx, rules, updated.metadata); err != nil {
		return nil, err
	}
	if err := asked.admission().mutate(ctx, admission.Update, &metav1.UpdateOptions{}, updated, old); err != nil {
		return nil, err
	}
	if err := rest.BeforeUpdate(rules, ctx, updated.internal, old.internal); err != nil {
		return nil, withFieldErrors(err, func() field.ErrorList {
			return updateErrors(ctx, rules, updated.internal, old.internal, updated.metadata, old.metadata)
		})
	}
	if subresource == "" {
		if err := asked.checkPodSecurity(updated); err != nil {
			return nil, err
		}
	}
	updated.release = func() {}
	return updated, asked.admission().validate(ctx, admission.Update, &metav1.UpdateOptions{}, updated, old)
}

// remove decides about the deletion of an object that was created from the manifest.
func (asked *request) remove(recorder *warningRecorder) error {
	if err := asked.checkServed(asked.Object, http.MethodDelete); err != nil {
		return err
	}
	existing, _, err := asked.makeObject(asked.Object, &warningRecorder{})
	if err != nil {
		return err
	}
	rules, err := existing.strategy()
	if err != nil {
		return err
	}
	options := &metav1.DeleteOptions{}
	if len(asked.DeleteOptions) > 0 {
		kind := schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}
		if _, _, err := strictSerializer().Decode(asked.DeleteOptions, &kind, options); err != nil {
			return decodingError(err, &kind)
		}
	}
	ctx := asked.requestContext("delete", "", existing, rules.NamespaceScoped(), recorder)
	if _, _, err := rest.BeforeDelete(rules, ctx, existing.internal, options); err != nil {
		return err
	}
	return asked.admission().validate(ctx, admission.Delete, options, nil, existing)
}

// merge is the object that results where the manifest is applied to an object that was
// made by the old one, in the version of the manifest.
func (asked *request) merge(old *object) ([]byte, error) {
	applied, err := asked.decode(asked.Object, &warningRecorder{})
	if err != nil {
		return nil, err
	}
	if applied.kind.GroupKind() != old.kind.GroupKind() {
		return nil, apierrors.NewBadRequest("the old object and the new one have different kinds")
	}
	current, err := old.encode(applied.kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	if old.custom != nil {
		return mergeCustom(asked.Old, asked.Object, current)
	}
	patchMeta, err := strategicpatch.NewPatchMetaFromStruct(applied.versioned)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(asked.Old, asked.Object, current, patchMeta, true)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(current, patch, patchMeta)
}

// convert is the object in another version of its kind.
func (asked *request) convert() ([]byte, error) {
	converted, err := asked.decode(asked.Object, &warningRecorder{})
	if err != nil {
		return nil, err
	}
	target, err := schema.ParseGroupVersion(asked.To)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return converted.encode(target)
}

// asStored is the object without what a server sets anew for each object, and without
// what depends on a cluster.
func (stored *object) asStored() ([]byte, error) {
	stored.release()
	stored.metadata.SetUID("")
	stored.metadata.SetResourceVersion("")
	stored.metadata.SetCreationTimestamp(metav1.Time{})
	return stored.encode(stored.kind.GroupVersion())
}

func (stored *object) encode(target schema.GroupVersion) ([]byte, error) {
	if custom, ok := stored.versioned.(*unstructured.Unstructured); ok {
		return stored.custom.of.encode(custom, target)
	}
	versioned, err := legacyscheme.Scheme.ConvertToVersion(stored.internal, target)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return json.Marshal(versioned)
}

// warningRecorder collects the warnings of a request.
type warningRecorder struct {
	warnings []string
}

// AddWarning implements warning.Recorder.
func (recorder *warningRecorder) AddWarning(_, text string) {
	recorder.warnings = append(recorder.warnings, text)
}

// addDeprecation warns of a kind that is deprecated, as a server does before it decodes
// (k8s.io/apiserver/pkg/endpoints/installer.go).
func (recorder *warningRecorder) addDeprecation(versioned runtime.Object, kind *schema.GroupVersionKind) {
	if deprecation.IsDeprecated(versioned, 1, minor) {
		versioned.GetObjectKind().SetGroupVersionKind(*kind)
		recorder.AddWarning("", deprecation.WarningMessage(versioned))
	}
}

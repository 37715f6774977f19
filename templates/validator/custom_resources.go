package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// customKind is a kind that a CustomResourceDefinition defines, as the server that serves
// it sees it (getOrCreateServingInfoFor in
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go).
type customKind struct {
	definition *apiextensions.CustomResourceDefinition
	schemas    map[string]*structural.Structural
	// served are its versions that are served, by name.
	served map[string]*customVersion
}

// customVersion is a version of a customKind.
type customVersion struct {
	kind     schema.GroupVersionKind
	of       *customKind
	warnings []string
	// rules are made when there is an object, since rules in CEL take time to compile.
	rules       strategy
	statusRules rest.RESTUpdateStrategy
}

// newCustomKind is the kind of a definition that was accepted.
func newCustomKind(definition *apiextensions.CustomResourceDefinition) (*customKind, error) {
	kind := &customKind{
		definition: definition,
		schemas:    map[string]*structural.Structural{},
		served:     map[string]*customVersion{},
	}
	for _, defined := range definition.Spec.Versions {
		validation, err := apiextensions.GetSchemaForVersion(definition, defined.Name)
		if err != nil {
			return nil, err
		}
		shared, err := structural.NewStructural(validation.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		own := shared.DeepCopy()
		if err := defaulting.PruneDefaults(own); err != nil {
			return nil, err
		}
		kind.schemas[defined.Name] = own
	}
	for _, defined := range definition.Spec.Versions {
		if !defined.Served {
			continue
		}
		kind.served[defined.Name] = kind.newVersion(defined)
	}
	return kind, nil
}

func (kind *customKind) newVersion(defined apiextensions.CustomResourceDefinitionVersion) *customVersion {
	served := &customVersion{kind: kind.groupKind().WithVersion(defined.Name), of: kind}
	if defined.Deprecated {
		text := defined.DeprecationWarning
		if text == nil {
			standard := kind.deprecationWarning(defined.Name)
			text = &standard
		}
		served.warnings = []string{*text}
	}
	return served
}

// prepareRules makes the strategies of the version, once.
func (served *customVersion) prepareRules() error {
	if served.rules != nil {
		return nil
	}
	definition := served.of.definition
	validation, err := apiextensions.GetSchemaForVersion(definition, served.kind.Version)
	if err != nil {
		return err
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(definition, served.kind.Version)
	if err != nil {
		return err
	}
	if subresources == nil {
		subresources = &apiextensions.CustomResourceSubresources{}
	}
	isNamespaced := definition.Spec.Scope == apiextensions.NamespaceScoped
	served.rules, served.statusRules, err = customStrategies(
		crdserverscheme.NewUnstructuredObjectTyper(), isNamespaced, served.kind,
		validation, served.of.schemas, subresources.Status, subresources.Scale,
	)
	if subresources.Status == nil {
		served.statusRules = nil
	}
	return err
}

// statusOf is the schema of the status: one for anything where the schema has none
// (getOrCreateServingInfoFor in customresource_handler.go).
func statusOf(properties *apiextensions.CustomResourceValidation) *apiextensions.CustomResourceValidation {
	status := apiextensions.JSONSchemaProps{}
	if properties != nil && properties.OpenAPIV3Schema != nil {
		status = properties.OpenAPIV3Schema.Properties["status"]
	}
	return &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &status}
}

func (kind *customKind) groupKind() schema.GroupKind {
	return schema.GroupKind{Group: kind.definition.Spec.Group, Kind: kind.definition.Spec.Names.Kind}
}

// deprecationWarning is what a server says of a deprecated version whose definition says
// nothing of its own (defaultDeprecationWarning in customresource_handler.go).
func (kind *customKind) deprecationWarning(deprecated string) string {
	names := kind.definition.Spec
	text := fmt.Sprintf("%s/%s %s is deprecated", names.Group, deprecated, names.Names.Kind)
	var newer []string
	for _, other := range names.Versions {
		if other.Served && !other.Deprecated && version.CompareKubeAwareVersionStrings(deprecated, other.Name) < 0 {
			newer = append(newer, other.Name)
		}
	}
	if len(newer) == 0 {
		return text
	}
	sort.Slice(newer, func(i, j int) bool {
		return version.CompareKubeAwareVersionStrings(newer[i], newer[j]) > 0
	})
	return fmt.Sprintf("%s; use %s/%s %s", text, names.Group, newer[0], names.Names.Kind)
}

// schemaValidator calls the constructor of validators of a release, which takes the
// schema, and until 1.27 what holds it.
func schemaValidator[V any, S *apiextensions.CustomResourceValidation | *apiextensions.JSONSchemaProps](
	construct func(S) (V, *spec.Schema, error), validation *apiextensions.CustomResourceValidation,
) (V, error) {
	var argument S
	switch argument := any(&argument).(type) {
	case **apiextensions.CustomResourceValidation:
		*argument = validation
	case **apiextensions.JSONSchemaProps:
		*argument = validation.OpenAPIV3Schema
	}
	validator, _, err := construct(argument)
	return validator, err
}

// strictUnstructured reads objects of any kind.
var strictUnstructured = jsonserializer.NewSerializerWithOptions(
	jsonserializer.DefaultMetaFactory, nil, crdserverscheme.NewUnstructuredObjectTyper(),
	jsonserializer.SerializerOptions{Strict: true},
)

// decode reads a manifest of this version: unknown fields are refused, and defaults are
// filled in.
func (served *customVersion) decode(data []byte, recorder *warningRecorder) (*object, error) {
	for _, text := range served.warnings {
		recorder.AddWarning("", text)
	}
	decoded := &unstructured.Unstructured{}
	var problems []error
	if _, _, err := strictUnstructured.Decode(data, &served.kind, decoded); err != nil {
		strict, ok := runtime.AsStrictDecodingError(err)
		if !ok {
			return nil, decodingError(err, &served.kind)
		}
		problems = strict.Errors()
	}
	if found := decoded.GroupVersionKind(); found != served.kind {
		// Names of fields in other letters are not read as such here.
		return nil, apierrors.NewBadRequest(fmt.Sprintf(
			"the API version in the data (%s) does not match the expected API version (%v)",
			found.GroupVersion(), served.kind.GroupVersion(),
		))
	}
	unknown, err := served.coerce(decoded)
	if err != nil {
		return nil, decodingError(err, &served.kind)
	}
	for _, path := range unknown {
		problems = append(problems, fmt.Errorf(`unknown field "%s"`, path))
	}
	if len(problems) > 0 {
		return nil, decodingError(runtime.NewStrictDecodingError(problems), &served.kind)
	}
	defaulting.Default(decoded.Object, served.schema())
	return &object{
		kind:      served.kind,
		versioned: decoded,
		internal:  decoded,
		metadata:  decoded,
		custom:    served,
	}, nil
}

func (served *customVersion) schema() *structural.Structural {
	return served.of.schemas[served.kind.Version]
}

// coerce takes away what the schema does not have, and returns the paths of it
// (unstructuredSchemaCoercer in customresource_handler.go).
func (served *customVersion) coerce(custom *unstructured.Unstructured) ([]string, error) {
	kind, apiVersion := custom.GetKind(), custom.GetAPIVersion()
	metadata, hasMetadata, unknown, err := objectmeta.GetObjectMetaWithOptions(
		custom.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true},
	)
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(
		custom.Object, served.schema(), true,
		structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true},
	)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(custom.Object, served.schema())
	problem, more := objectmeta.CoerceWithOptions(
		nil, custom.Object, served.schema(), false,
		objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true},
	)
	if problem != nil {
		return nil, problem
	}
	custom.SetKind(kind)
	custom.SetAPIVersion(apiVersion)
	if hasMetadata {
		err = objectmeta.SetObjectMeta(custom.Object, metadata)
	}
	return append(unknown, more...), err
}

// encode is a custom resource in a version of its kind.
func (kind *customKind) encode(custom *unstructured.Unstructured, target schema.GroupVersion) ([]byte, error) {
	if custom.GroupVersionKind().GroupVersion() == target {
		return json.Marshal(custom)
	}
	served, ok := kind.served[target.Version]
	if !ok || served.kind.Group != target.Group {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s is not served in %s", kind.groupKind(), target))
	}
	if conversion := kind.definition.Spec.Conversion; conversion != nil && conversion.Strategy != apiextensions.NoneConverter {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("a webhook converts %s, and is not asked", kind.groupKind()))
	}
	converted := custom.DeepCopy()
	converted.SetAPIVersion(target.String())
	if _, err := served.coerce(converted); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return json.Marshal(converted)
}

// mergeCustom is the object that results where a manifest of a custom resource is applied
// to an object that was made by an older one: what the older one had is removed, what the
// manifest has is set, and the rest stays, as with the JSON merge patch of kubectl apply.
func mergeCustom(before, after, current []byte) ([]byte, error) {
	var values [3]any
	for index, text := range [][]byte{before, after, current} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		// Numbers stay as they are written.
		decoder.UseNumber()
		if err := decoder.Decode(&values[index]); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	return json.Marshal(merged(values[0], values[1], values[2]))
}

func merged(before, after, current any) any {
	fields, ok := after.(map[string]any)
	if !ok {
		return after
	}
	result := map[string]any{}
	old, _ := before.(map[string]any)
	present, _ := current.(map[string]any)
	for name, value := range present {
		if _, removed := old[name]; !removed {
			result[name] = value
		}
	}
	for name, value := range fields {
		// Null removes a field.
		if value == nil {
			delete(result, name)
		} else {
			result[name] = merged(old[name], value, present[name])
		}
	}
	return result
}

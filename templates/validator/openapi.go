package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"
)

const openAPIPath = "/openapi/v3"

// openAPIDocument is what a server serves under /openapi/v3, as far as the plugin needs it
// that merges what mutating policies apply: a list of API versions, and the schemas of
// the kinds of each. It is nil for other paths.
func openAPIDocument(path string, custom map[schema.GroupVersionKind]*customVersion) any {
	kinds := map[string][]schema.GroupVersionKind{}
	for kind := range strategies {
		for _, version := range scheme.PrioritizedVersionsForGroup(kind.Group) {
			if versioned := version.WithKind(kind.Kind); scheme.Recognizes(versioned) {
				kinds[pathOf(version)] = append(kinds[pathOf(version)], versioned)
			}
		}
	}
	for kind := range custom {
		version := pathOf(kind.GroupVersion())
		kinds[version] = append(kinds[version], kind)
	}
	if path == openAPIPath {
		paths := map[string]any{}
		for version := range kinds {
			paths[version] = map[string]string{"serverRelativeURL": openAPIPath + "/" + version}
		}
		return map[string]any{"paths": paths}
	}
	served, ok := kinds[strings.TrimPrefix(path, openAPIPath+"/")]
	if !ok {
		return nil
	}
	return map[string]any{"openapi": "3.0.0", "components": map[string]any{"schemas": schemasOf(served)}}
}

// pathOf is the path of an API version, without the slash.
func pathOf(version schema.GroupVersion) string {
	if version.Group == "" {
		return "api/" + version.Version
	}
	return "apis/" + version.String()
}

// schemasOf are the definitions of kinds. Custom resources have any fields.
func schemasOf(kinds []schema.GroupVersionKind) map[string]*spec.Schema {
	var names []string
	custom := map[string]*spec.Schema{}
	for _, kind := range kinds {
		object, err := scheme.New(kind)
		if err == nil {
			names = append(names, util.GetCanonicalTypeName(object))
			continue
		}
		open := spec.MapProperty(nil)
		open.AddExtension("x-kubernetes-preserve-unknown-fields", true)
		open.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
			"group": kind.Group, "version": kind.Version, "kind": kind.Kind,
		}})
		custom[kind.String()] = open
	}
	schemas, err := builder3.BuildOpenAPIDefinitionsForResources(&common.OpenAPIV3Config{
		Info:              &spec.Info{},
		GetDefinitions:    generatedopenapi.GetOpenAPIDefinitions,
		GetDefinitionName: apiopenapi.NewDefinitionNamer(scheme).GetDefinitionName,
	}, names...)
	if err != nil {
		return custom
	}
	for name, definition := range custom {
		schemas[name] = definition
	}
	return schemas
}

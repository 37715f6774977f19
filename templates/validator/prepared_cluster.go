package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	endpoints "k8s.io/apiserver/pkg/endpoints/request"
)

// preparedCluster answers the clients of a server's plugins with the objects of a
// prepared set, without a connection.
type preparedCluster struct {
	objects []*object
	custom  map[schema.GroupVersionKind]*customVersion
	kinds   *meta.DefaultRESTMapper
}

// paths says what the path of a request means.
var paths = endpoints.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

// RoundTrip implements http.RoundTripper.
func (cluster *preparedCluster) RoundTrip(asked *http.Request) (*http.Response, error) {
	info, err := paths.NewRequestInfo(asked)
	if err != nil {
		return nil, err
	}
	if !info.IsResourceRequest {
		if document := openAPIDocument(asked.URL.Path, cluster.custom); document != nil {
			return respondWith(asked, document)
		}
		return respondTo(asked, http.StatusNotFound, http.NoBody), nil
	}
	switch info.Verb {
	case "list":
		return cluster.list(asked, info)
	case "get":
		return cluster.get(asked, info)
	case "watch":
		// Clients list where a server cannot send what is there before it watches.
		if asked.URL.Query().Has("sendInitialEvents") {
			return respondTo(asked, http.StatusUnprocessableEntity, http.NoBody), nil
		}
		return respondTo(asked, http.StatusOK, &silence{closed: make(chan struct{})}), nil
	}
	return respondTo(asked, http.StatusMethodNotAllowed, http.NoBody), nil
}

func (cluster *preparedCluster) list(asked *http.Request, info *endpoints.RequestInfo) (*http.Response, error) {
	resource := resourceOf(info)
	kind, err := cluster.kinds.KindFor(resource)
	if err != nil {
		return respondTo(asked, http.StatusNotFound, http.NoBody), nil
	}
	items := []json.RawMessage{}
	for _, stored := range cluster.objects {
		if stored.kind.GroupKind() != kind.GroupKind() || (info.Namespace != "" && info.Namespace != stored.metadata.GetNamespace()) {
			continue
		}
		item, err := stored.encode(kind.GroupVersion())
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return respondWith(asked, map[string]any{
		"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind + "List",
		"metadata": map[string]string{"resourceVersion": "1"}, "items": items,
	})
}

// get answers with one object. All namespaces are there, with the label that a server
// gives them.
func (cluster *preparedCluster) get(asked *http.Request, info *endpoints.RequestInfo) (*http.Response, error) {
	resource := resourceOf(info)
	kind, err := cluster.kinds.KindFor(resource)
	if err != nil {
		return respondTo(asked, http.StatusNotFound, http.NoBody), nil
	}
	isNamespace := resource.GroupResource() == v1.Resource("namespaces")
	for _, stored := range cluster.objects {
		isThere := isNamespace || stored.metadata.GetNamespace() == info.Namespace
		if stored.kind.GroupKind() == kind.GroupKind() && stored.metadata.GetName() == info.Name && isThere {
			text, err := stored.encode(kind.GroupVersion())
			if err != nil {
				return nil, err
			}
			return respondWith(asked, json.RawMessage(text))
		}
	}
	if isNamespace {
		return respondWith(asked, newNamespace(info.Name))
	}
	return respondTo(asked, http.StatusNotFound, http.NoBody), nil
}

// newNamespace is a namespace with the label that a server gives it.
func newNamespace(name string) *v1.Namespace {
	namespace := &v1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	scheme.Default(namespace)
	return namespace
}

func resourceOf(info *endpoints.RequestInfo) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource}
}

func respondWith(asked *http.Request, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return respondTo(asked, http.StatusOK, io.NopCloser(bytes.NewReader(text))), nil
}

func respondTo(asked *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   body, ContentLength: -1, Request: asked,
	}
}

// silence is what a watch of objects that never change reads, until it is closed.
type silence struct {
	once   sync.Once
	closed chan struct{}
}

// Read implements io.Reader.
func (body *silence) Read([]byte) (int, error) {
	<-body.closed
	return 0, io.EOF
}

// Close implements io.Closer.
func (body *silence) Close() error {
	body.once.Do(func() { close(body.closed) })
	return nil
}

// servedKinds are the resources of the kinds that the release and the set have, and which
// of them are versions of one another.
func servedKinds(set *preparedSet) (*meta.DefaultRESTMapper, admission.ObjectInterfaces) {
	kinds := meta.NewDefaultRESTMapper(scheme.PrioritizedVersionsAllGroups())
	equal := runtime.NewEquivalentResourceRegistry()
	for kind, rules := range strategies {
		for _, version := range scheme.PrioritizedVersionsForGroup(kind.Group) {
			versioned := version.WithKind(kind.Kind)
			if !scheme.Recognizes(versioned) {
				continue
			}
			plural, _ := meta.UnsafeGuessKindToResource(versioned)
			kinds.Add(versioned, scopeOf(rules.NamespaceScoped()))
			equal.RegisterKindFor(plural, "", versioned)
		}
	}
	for kind, served := range set.custom {
		defined, version := served.of.definition.Spec, kind.GroupVersion()
		plural, singular := version.WithResource(defined.Names.Plural), version.WithResource(defined.Names.Singular)
		kinds.AddSpecific(kind, plural, singular, scopeOf(defined.Scope == apiextensions.NamespaceScoped))
	}
	return kinds, &admission.RuntimeObjectInterfaces{
		ObjectCreater: scheme, ObjectTyper: scheme, ObjectDefaulter: scheme,
		ObjectConvertor: scheme, EquivalentResourceMapper: equal,
	}
}

func scopeOf(isNamespaced bool) meta.RESTScope {
	if isNamespaced {
		return meta.RESTScopeNamespace
	}
	return meta.RESTScopeRoot
}

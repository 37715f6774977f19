// Prints what the Go types of the API say of themselves: the life of their versions, and the
// names and types of their fields.
package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"

	"example.com/validator/report"
)

func main() {
	defer report.Flush()
	builder := runtime.NewSchemeBuilder(
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme, imagepolicyv1alpha1.AddToScheme,
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
	)
	utilruntime.Must(builder.AddToScheme(scheme.Scheme))
	for kind, goType := range scheme.Scheme.AllKnownTypes() {
		if kind.Version != runtime.APIVersionInternal {
			printLifecycle(kind, reflect.New(goType).Interface())
			printFields(goType)
		}
	}
}

func printLifecycle(kind schema.GroupVersionKind, object any) {
	var deprecated, removed, replacement string
	if life, ok := object.(interface{ APILifecycleDeprecated() (int, int) }); ok {
		deprecated = release(life.APILifecycleDeprecated())
	}
	if life, ok := object.(interface{ APILifecycleRemoved() (int, int) }); ok {
		removed = release(life.APILifecycleRemoved())
	}
	if life, ok := object.(interface {
		APILifecycleReplacement() schema.GroupVersionKind
	}); ok {
		replacement = text(life.APILifecycleReplacement())
	}
	if deprecated != "" || removed != "" || replacement != "" {
		report.Row("lifecycle", text(kind), deprecated, removed, replacement)
	}
}

func release(major, minor int) string { return fmt.Sprintf("%d.%d", major, minor) }

func text(kind schema.GroupVersionKind) string {
	return kind.GroupVersion().String() + " " + kind.Kind
}

var (
	printed = map[reflect.Type]bool{}
	// The packages whose types are definitions of documents, but for what they are called.
	version = regexp.MustCompile(`^k8s\.io/(?:api/\w+|[\w-]+/pkg/apis/\w+)/v\w+$`)
)

// Print the fields of a struct, and those of the structs that it refers to, where what they
// are called or their type does not follow from a document.
func printFields(goType reflect.Type) {
	switch goType.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		printFields(goType.Elem())
	case reflect.Struct:
		if !printed[goType] && version.MatchString(goType.PkgPath()) {
			printed[goType] = true
			path := strings.TrimPrefix(goType.PkgPath(), "k8s.io/")
			printFieldsOf("io.k8s."+strings.ReplaceAll(path, "/", ".")+"."+goType.Name(), goType, "")
		}
	}
}

func printFieldsOf(definition string, goType reflect.Type, prefix string) {
	for index := 0; index < goType.NumField(); index++ {
		field := goType.Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if strings.Contains(options, "inline") || name == "" {
			if field.Name != "TypeMeta" && field.Type.Kind() == reflect.Struct {
				printFieldsOf(definition, field.Type, prefix+field.Name+".")
			}
			continue
		}
		printFields(field.Type)
		path := prefix + field.Name
		if path == strings.ToUpper(name[:1])+name[1:] || path == "ObjectMeta" || path == "ListMeta" {
			path = ""
		}
		if shown := typeOf(field.Type); path != "" || shown != "" {
			report.Row("go-fields", definition, name, path, shown)
		}
	}
}

// A type as the table has it; empty where the document says it.
func typeOf(goType reflect.Type) string {
	element := goType
	switch {
	case isPlain(goType):
		return ""
	case goType.Kind() == reflect.Pointer:
		if element = goType.Elem(); isPlain(element) && (element.PkgPath() == "" || element.Kind() == reflect.Struct) {
			return "*"
		}
	case goType.Name() == "" && goType.Kind() == reflect.Slice, goType.Name() == "" && goType.Kind() == reflect.Map && goType.Key() == reflect.TypeOf(""):
		if element = goType.Elem(); isPlain(element) && (element.PkgPath() == "" || element.Kind() == reflect.Struct) && element.Kind() != reflect.Uint8 {
			return ""
		}
	}
	return spell(goType)
}

// Whether a value is a text, a number, or a struct.
func isPlain(goType reflect.Type) bool {
	switch goType.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return false
	}
	return true
}

// A type with what packages are imported as: corev1 for k8s.io/api/core/v1.
func spell(goType reflect.Type) string {
	if goType.PkgPath() != "" {
		parts := strings.Split(goType.PkgPath(), "/")
		name := parts[len(parts)-1]
		if len(parts) > 1 && regexp.MustCompile(`^v\d`).MatchString(name) {
			name = parts[len(parts)-2] + name
		}
		return name + "." + goType.Name()
	}
	switch goType.Kind() {
	case reflect.Pointer:
		return "*" + spell(goType.Elem())
	case reflect.Slice:
		if goType.Elem() == reflect.TypeOf(byte(0)) {
			return "[]byte"
		}
		return "[]" + spell(goType.Elem())
	case reflect.Map:
		return "map[" + spell(goType.Key()) + "]" + spell(goType.Elem())
	}
	return goType.String()
}

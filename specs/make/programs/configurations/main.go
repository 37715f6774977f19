// Prints the types of configuration files, and what the programs fill in where a file has no
// value, as the schemes that read these files have it.
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	resourcequota "k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/install"
	webhookadmission "k8s.io/apiserver/pkg/admission/plugin/webhook/config/apis/webhookadmission/install"
	apiserver "k8s.io/apiserver/pkg/apis/apiserver/install"
	audit "k8s.io/apiserver/pkg/apis/audit/install"
	controllers "k8s.io/controller-manager/config/v1"
	controllersv1alpha1 "k8s.io/controller-manager/config/v1alpha1"
	controllersv1beta1 "k8s.io/controller-manager/config/v1beta1"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme"
	kubelet "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	kubeletv1alpha1 "k8s.io/kubernetes/pkg/kubelet/apis/config/v1alpha1"
	proxy "k8s.io/kubernetes/pkg/proxy/apis/config/scheme"
	scheduler "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	eventratelimit "k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/apis/eventratelimit/install"
	podtoleration "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/install"
	podsecurity "k8s.io/pod-security-admission/admission/api/scheme"

	"example.com/validator/report"
)

// Kinds that are no files of users, such as events of audits, are called otherwise.
var fileKind = regexp.MustCompile(`(Configuration|Config|Policy|Args)$`)

func main() {
	defer report.Flush()
	kubeletScheme, _, err := kubelet.NewSchemeAndCodecs()
	if err != nil {
		panic(err)
	}
	// What reads the files of credential providers has a scheme of its own.
	if err := kubeletv1alpha1.AddToScheme(kubeletScheme); err != nil {
		panic(err)
	}
	apiserverScheme := runtime.NewScheme()
	for _, install := range []func(*runtime.Scheme){
		apiserver.Install, audit.Install, eventratelimit.Install, podtoleration.Install,
		resourcequota.Install, webhookadmission.Install,
	} {
		install(apiserverScheme)
	}
	// That of kube-controller-manager is private.
	controllersScheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		controllers.AddToScheme, controllersv1alpha1.AddToScheme, controllersv1beta1.AddToScheme,
	} {
		if err := add(controllersScheme); err != nil {
			panic(err)
		}
	}
	for _, scheme := range []*runtime.Scheme{
		kubeletScheme, scheduler.Scheme, proxy.Scheme, kubeadm.Scheme, podsecurity.Scheme, apiserverScheme,
		controllersScheme,
	} {
		printKinds(scheme)
	}
}

// A type, by its package and name.
type typeName struct{ path, name string }

// The printer of the types of a scheme: defaults holds JSON by definition and field.
type printer struct {
	printed  map[string]bool
	defaults map[[2]string]string
}

var types = printer{map[string]bool{}, nil}

func printKinds(scheme *runtime.Scheme) {
	var kinds []schema.GroupVersionKind
	for kind, goType := range scheme.AllKnownTypes() {
		if kind.Version != runtime.APIVersionInternal && fileKind.MatchString(kind.Kind) && !isShared(goType.PkgPath()) {
			kinds = append(kinds, kind)
		}
	}
	types.defaults = map[[2]string]string{}
	for _, kind := range kinds {
		addDefaults(scheme, kind)
	}
	for _, kind := range kinds {
		goType := scheme.AllKnownTypes()[kind]
		name := definition(goType.PkgPath()) + "." + kind.Kind
		report.Row("configurations", name, "", kind.GroupVersion().String()+" "+kind.Kind, "", "", "", "", "")
		types.print(name, goType)
	}
}

// Whether a package has types of all programs.
func isShared(path string) bool {
	return strings.HasPrefix(path, "k8s.io/apimachinery/") || strings.HasPrefix(path, "k8s.io/api/")
}

// What definitions are called that are of a package.
func definition(path string) string {
	if path = strings.TrimPrefix(path, "k8s.io/"); strings.HasPrefix(path, "kubernetes/pkg/") {
		panic("internal type of " + path)
	}
	return strings.ReplaceAll(path, "/", ".")
}

// Print the fields of a struct, and those of the structs that it refers to.
func (p *printer) print(name string, goType reflect.Type) {
	if p.printed[name] {
		return
	}
	p.printed[name] = true
	fields := fieldsOf(goType)
	if len(fields) == 0 {
		report.Row("configurations", name, "", "object", "", "", "", "", "")
	}
	for _, field := range fields {
		element := named(field.Type)
		report.Row(
			"configurations", name, field.name, p.typeOf(field.Type, goType.PkgPath()),
			p.defaults[[2]string{name, field.name}],
			field.owner.PkgPath(), field.owner.Name(), element.path, element.name,
		)
	}
}

type field struct {
	reflect.StructField
	name  string
	owner reflect.Type
}

// The fields of a struct in JSON, but for apiVersion and kind.
func fieldsOf(goType reflect.Type) []field {
	var fields []field
	for index := 0; index < goType.NumField(); index++ {
		found := goType.Field(index)
		name, options, _ := strings.Cut(found.Tag.Get("json"), ",")
		switch {
		case found.Type == reflect.TypeOf(metav1.TypeMeta{}) || name == "-" || !found.IsExported():
		case strings.Contains(options, "inline") || (found.Anonymous && name == ""):
			fields = append(fields, fieldsOf(pointed(found.Type))...)
		case name != "":
			fields = append(fields, field{found, name, goType})
		}
	}
	return fields
}

func pointed(goType reflect.Type) reflect.Type {
	if goType.Kind() == reflect.Pointer {
		return goType.Elem()
	}
	return goType
}

// Types of libraries, and those that read their JSON themselves.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                                 "duration",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                  "object",
	"k8s.io/apimachinery/pkg/runtime.Unknown":                                       "object",
	"k8s.io/apimachinery/pkg/api/resource.QuantityValue":                            "apimachinery.pkg.api.resource.Quantity",
	"k8s.io/component-base/logs/api/v1.TimeOrMetaDuration":                          "any",
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/bootstraptoken/v1.BootstrapTokenString": "string",
	"time.Duration": "any",
}

// A type as the table has it, where a type in path uses it.
func (p *printer) typeOf(goType reflect.Type, path string) string {
	name := goType.PkgPath() + "." + goType.Name()
	if found, ok := special[name]; ok {
		return found
	}
	switch goType.Kind() {
	case reflect.Pointer:
		return p.typeOf(goType.Elem(), path)
	case reflect.Slice, reflect.Array:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + p.typeOf(goType.Elem(), path)
	case reflect.Map:
		return "map " + p.typeOf(goType.Elem(), path)
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	case reflect.Struct:
		full := definition(goType.PkgPath()) + "." + goType.Name()
		if !isShared(goType.PkgPath()) {
			p.print(full, goType)
		}
		if goType.PkgPath() == path {
			return goType.Name()
		}
		return full
	}
	return "integer"
}

// The named text that a field, or what it has many of, is; none for any other type.
func named(goType reflect.Type) typeName {
	switch goType.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return named(goType.Elem())
	case reflect.String:
		return typeName{goType.PkgPath(), goType.Name()}
	}
	return typeName{}
}

// Add the defaults of a kind: of a file without fields, and of one in which each object is
// there, empty, and each list of objects has one.
func addDefaults(scheme *runtime.Scheme, kind schema.GroupVersionKind) {
	for index, prepare := range []func(reflect.Value){func(reflect.Value) {}, grow} {
		object, err := scheme.New(kind)
		if err != nil {
			panic(err)
		}
		prepare(reflect.ValueOf(object).Elem())
		before := object.DeepCopyObject()
		scheme.Default(object)
		found := map[[2]string][]string{}
		value := reflect.ValueOf(object).Elem()
		name := definition(value.Type().PkgPath()) + "." + kind.Kind
		collect(found, name, value, reflect.ValueOf(before).Elem())
		for key, values := range found {
			// An object that is missing can be filled in otherwise than one that is empty.
			isInside := index == 0 && key[0] != name
			// Where files have a type in several places, it may have a default in each.
			if _, isFound := types.defaults[key]; !isFound && !isInside && len(unique(values)) == 1 {
				types.defaults[key] = values[0]
			}
		}
	}
}

// Fill in what a value can have inside, without any value.
func grow(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() && value.Type().Elem().Kind() == reflect.Struct && isObject(value.Type().Elem()) {
			value.Set(reflect.New(value.Type().Elem()))
			grow(value.Elem())
		}
	case reflect.Slice:
		if isObject(pointed(value.Type().Elem())) {
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
			grow(value.Index(0))
		}
	case reflect.Struct:
		if isObject(value.Type()) {
			for _, field := range fieldsOf(value.Type()) {
				grow(value.FieldByName(field.Name))
			}
		}
	}
}

// Whether JSON has an object of a struct field by field.
func isObject(goType reflect.Type) bool {
	if goType.Kind() != reflect.Struct || isShared(goType.PkgPath()) {
		return false
	}
	_, ok := special[goType.PkgPath()+"."+goType.Name()]
	return !ok
}

// Add what a struct has that it did not have before, by definition and field. What libraries
// have for several programs is part of the default of the field that has it.
func collect(found map[[2]string][]string, name string, value, before reflect.Value) {
	for _, field := range fieldsOf(value.Type()) {
		key := [2]string{name, field.name}
		after, former := indirect(value.FieldByName(field.Name)), indirect(before.FieldByName(field.Name))
		if after.Kind() == reflect.Slice && after.Len() > 0 && isObject(pointed(after.Type().Elem())) {
			// A list of objects is no default; but those in it may have some.
			if former.IsValid() && former.Len() == 1 && after.Len() == 1 {
				inner := indirect(after.Index(0))
				collect(found, definition(inner.Type().PkgPath())+"."+inner.Type().Name(), inner, indirect(former.Index(0)))
			}
			continue
		}
		if after.IsValid() && isObject(after.Type()) {
			if !former.IsValid() {
				former = reflect.Zero(after.Type())
			}
			if after.Type().PkgPath() == value.Type().PkgPath() {
				collect(found, definition(after.Type().PkgPath())+"."+after.Type().Name(), after, former)
			} else if inner := object(after, former); len(inner) > 0 {
				found[key] = append(found[key], encode(inner))
			}
		} else if isFilled(after, former) {
			found[key] = append(found[key], encode(after.Interface()))
		}
	}
}

// What a struct has that it did not have before.
func object(value, before reflect.Value) map[string]any {
	filled := map[string]any{}
	for _, field := range fieldsOf(value.Type()) {
		after, former := indirect(value.FieldByName(field.Name)), indirect(before.FieldByName(field.Name))
		if after.IsValid() && isObject(after.Type()) {
			if !former.IsValid() {
				former = reflect.Zero(after.Type())
			}
			if inner := object(after, former); len(inner) > 0 {
				filled[field.name] = inner
			}
		} else if isFilled(after, former) {
			filled[field.name] = after.Interface()
		}
	}
	return filled
}

// Whether a value was filled in: nanoseconds are no value that a file has, nor is what was
// taken away.
func isFilled(after, former reflect.Value) bool {
	if !after.IsValid() || after.Type().String() == "time.Duration" {
		return false
	}
	if (after.Kind() == reflect.Slice || after.Kind() == reflect.Map) && after.IsNil() {
		return false
	}
	return !former.IsValid() || fmt.Sprint(former.Interface()) != fmt.Sprint(after.Interface())
}

// What a pointer points to; an invalid value for nil.
func indirect(value reflect.Value) reflect.Value {
	if value.IsValid() && value.Kind() == reflect.Pointer {
		return value.Elem()
	}
	return value
}

func encode(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func unique(values []string) []string {
	found := map[string]bool{}
	for _, value := range values {
		found[value] = true
	}
	var names []string
	for value := range found {
		names = append(names, value)
	}
	sort.Strings(names)
	return names
}

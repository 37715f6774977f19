package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// widgets has two versions, of which the older one is deprecated.
const widgets = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[
{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","required":["size"],"properties":{"size":{"type":"integer","maximum":9},"color":{"type":"string","default":"red","maxLength":9,"enum":["red","blue"]},
"name":{"type":"string","maxLength":9,"x-kubernetes-validations":[{"rule":"self == oldSelf","message":"cannot change"}]},
"tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}},
"x-kubernetes-validations":[{"rule":"self.size > 1 || self.color == 'red'","messageExpression":"'no ' + self.color","fieldPath":".size"}]},
"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}},
{"name":"v1beta1","served":true,"deprecated":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}}`

const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":2}}`

// prepared asks for the definition to be prepared, and then the others with what it made.
func prepared(t *testing.T, definition string, lines ...string) []answer {
	t.Helper()
	definition = strings.ReplaceAll(definition, "\n", "")
	first := ask(t, `{"operation":"prepare","objects":[`+definition+`]}`)[0]
	if first.Code != 200 || first.Prepared == "" || len(first.Results) != 1 {
		t.Fatalf("unexpected answer: %+v", first)
	}
	for index, line := range lines {
		lines[index] = fmt.Sprintf(`{"prepared":%q,%s`, first.Prepared, line[1:])
	}
	return append(first.Results, ask(t, lines...)...)
}

func TestCustomResources(t *testing.T) {
	for name, check := range map[string]struct {
		object string
		code   int
		text   string
	}{
		"accepted":             {widget, 201, ""},
		"rule of the schema":   {strings.Replace(widget, `:2`, `:10`, 1), 422, "less than or equal to 9"},
		"required":             {strings.Replace(widget, `"size":2`, ``, 1), 422, "spec.size: Required value"},
		"rule in CEL":          {strings.Replace(widget, `"size":2`, `"size":1,"color":"blue"`, 1), 422, "no blue"},
		"default before rules": {strings.Replace(widget, `:2`, `:1`, 1), 201, ""},
		"set with duplicates":  {strings.Replace(widget, `:2`, `:2,"tags":["a","a"]`, 1), 422, "Duplicate value"},
		"unknown field":        {strings.Replace(widget, `:2`, `:2,"b":1`, 1), 400, `unknown field "spec.b"`},
		"of metadata":          {strings.Replace(widget, `"name":"a"`, `"name":"a","b":1`, 1), 400, `unknown field "metadata.b"`},
		"duplicate field":      {strings.Replace(widget, `:2`, `:2,"size":2`, 1), 400, `duplicate field "spec.size"`},
		"wrong metadata":       {strings.Replace(widget, `"name":"a"`, `"labels":1`, 1), 400, "labels"},
		"bad name":             {strings.Replace(widget, `"name":"a"`, `"name":"A"`, 1), 422, "metadata.name"},
		"not served":           {strings.Replace(widget, "v1", "v2", 1), 404, ""},
	} {
		result := prepared(t, widgets, asked("create", check.object))[1]
		if result.Code != check.code || !strings.Contains(result.Message, check.text) {
			t.Errorf("%s: %d %s", name, result.Code, result.Message)
		}
	}
}

func TestBuiltInKindsAreAsWithoutPreparedOnes(t *testing.T) {
	if result := prepared(t, widgets, asked("create", pod))[1]; result.Code != 201 {
		t.Errorf("unexpected answer: %+v", result)
	}
	if result := ask(t, asked("create", widget))[0]; result.Code != 404 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestDefaultOfACustomResource(t *testing.T) {
	result := prepared(t, widgets, asked("default", strings.Replace(widget, `}}`, `},"status":{"a":1}}`, 1)))[1]
	text := string(result.Object)
	if !strings.Contains(text, `"color":"red"`) || strings.Contains(text, "uid") || strings.Contains(text, "status") {
		t.Errorf("unexpected object: %s", text)
	}
}

func TestConvertACustomResource(t *testing.T) {
	line := `{"operation":"convert","to":"example.com/v1beta1","object":` + widget + `}`
	result := prepared(t, widgets, line)[1]
	text := string(result.Object)
	if !strings.Contains(text, "v1beta1") || strings.Contains(text, "color") {
		t.Errorf("unexpected answer: %+v", result)
	}
	hooked := strings.Replace(widgets, `"scope"`, `"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://a.example"}}},"scope"`, 1)
	if result := prepared(t, hooked, line)[1]; result.Code != 400 || !strings.Contains(result.Message, "webhook") {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestUpdateOfACustomResource(t *testing.T) {
	named := strings.Replace(widget, `:2`, `:2,"name":"a"`, 1)
	answers := prepared(t, widgets,
		updated(named, strings.Replace(named, `"name":"a"}}`, `"name":"b"}}`, 1)),
		updated(named, widget),
		updated(widget, named),
	)
	if result := answers[1]; result.Code != 422 || result.Causes[0].Field != "spec.name" {
		t.Errorf("unexpected answer: %+v", result)
	}
	for _, result := range answers[2:] {
		if result.Code != 200 {
			t.Errorf("unexpected answer: %+v", result)
		}
	}
}

func TestADeprecatedVersionIsWarnedOf(t *testing.T) {
	result := prepared(t, widgets, asked("create", strings.Replace(widget, "v1", "v1beta1", 1)))[1]
	if len(result.Warnings) != 1 || result.Warnings[0] != "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget" {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestARefusedDefinitionIsNotPrepared(t *testing.T) {
	answers := prepared(t, strings.Replace(widgets, "self.size > 1", "self.nothing", 1), asked("create", widget))
	if result := answers[0]; result.Code != 422 || !strings.Contains(result.Message, "undefined field 'nothing'") {
		t.Errorf("unexpected answer: %+v", result)
	}
	if answers[1].Code != 404 {
		t.Errorf("unexpected answer: %+v", answers[1])
	}
}

func TestOnlyTheLastSetsAreKept(t *testing.T) {
	var digests []string
	for number := 0; number <= keptSets; number++ {
		objects, _ := json.Marshal([]int{number})
		digests = append(digests, ask(t, `{"operation":"prepare","objects":`+string(objects)+`}`)[0].Prepared)
	}
	for index, digest := range digests {
		result := ask(t, fmt.Sprintf(`{"operation":"create","prepared":%q,"object":%s}`, digest, pod))[0]
		if isKept := result.Code == 201; isKept != (index > 0) || len(preparedSets) > keptSets {
			t.Errorf("unexpected answer: %+v", result)
		}
		if index == 0 && result.Code != 412 {
			t.Errorf("unexpected answer: %+v", result)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const (
	policyFormat  = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"%s"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["CREATE","UPDATE","DELETE"],"resources":["deployments"]}]},%s}}`
	bindingFormat = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"%[1]s"},"spec":{"policyName":"%[1]s","validationActions":["%[2]s"]%[3]s}}`
	limits        = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"limits","namespace":"default"},"data":{"replicas":"1"}}`
)

// bound are a policy and its binding.
func bound(name, spec, action, binding string) string {
	return fmt.Sprintf(policyFormat, name, spec) + "," + fmt.Sprintf(bindingFormat, name, action, binding)
}

// withSet prepares objects, and returns requests with them as lines.
func withSet(t *testing.T, objects ...string) func(line string) string {
	t.Helper()
	result := ask(t, `{"operation":"prepare","objects":[`+strings.Join(objects, ",")+`]}`)[0]
	for index, one := range result.Results {
		if one.Code != 201 {
			t.Fatalf("%d: %+v", index, one)
		}
	}
	return func(line string) string {
		return strings.Replace(line, "{", `{"prepared":"`+result.Prepared+`",`, 1)
	}
}

func TestPoliciesOfASetDenyAndWarn(t *testing.T) {
	with := withSet(t,
		bound("few", `"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":"object.spec.replicas <= int(params.data.replicas)","message":"too many"}],"matchConditions":[{"name":"new","expression":"request.operation != 'DELETE'"}]`,
			"Deny", `,"paramRef":{"name":"limits","namespace":"default","parameterNotFoundAction":"Deny"}`),
		limits,
		bound("named", `"variables":[{"name":"n","expression":"oldObject == null ? object.metadata.name : 'b'"}],"validations":[{"expression":"variables.n != 'a'","messageExpression":"'not ' + variables.n"}]`, "Warn", ""),
		bound("wrong", `"failurePolicy":"Ignore","validations":[{"expression":"object.spec.nothing == 1"}]`, "Deny", ""),
		bound("elsewhere", `"validations":[{"expression":"false"}]`, "Deny", `,"matchResources":{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"other"}}}`),
		bound("kept", `"validations":[{"expression":"request.operation != 'DELETE' || oldObject.metadata.name != 'a'","message":"keep it"}]`, "Deny", ""),
	)
	few := strings.Replace(deployment, `"spec":{`, `"spec":{"replicas":1,`, 1)
	many := strings.Replace(deployment, `"spec":{`, `"spec":{"replicas":2,`, 1)
	elsewhere := strings.Replace(few, `"name":"a"`, `"name":"b","namespace":"other"`, 1)
	for _, check := range []struct {
		line     string
		code     int
		policies []string
		warnings int
	}{
		{asked("create", pod), 201, nil, 0},
		{asked("create", few), 201, nil, 1},
		{asked("create", many), 422, []string{"few"}, 1},
		{updated(few, many), 422, []string{"few"}, 0},
		{updated(many, few), 200, nil, 0},
		{asked("create", elsewhere), 422, []string{"elsewhere"}, 0},
		{asked("delete", few), 422, []string{"kept"}, 0},
		{asked("create", strings.Replace(many, `"APP"`, `1`, 1)), 400, nil, 0},
	} {
		result := ask(t, with(check.line))[0]
		if result.Code != check.code || len(result.Policies) != len(check.policies) || len(result.Warnings) != check.warnings {
			t.Errorf("%s: %+v", check.line, result)
			continue
		}
		for index, name := range check.policies {
			if !strings.Contains(result.Policies[index], "'"+name+"'") {
				t.Errorf("%s: %s", check.line, result.Policies[index])
			}
		}
	}
	if result := ask(t, asked("create", many))[0]; result.Code != 201 {
		t.Errorf("a set that was not named was used: %+v", result)
	}
}

func TestAllPoliciesThatDenyAreNamedInOrder(t *testing.T) {
	never := `"validations":[{"expression":"false"}]`
	with := withSet(t, bound("c", never, "Deny", ""), bound("a", never, "Deny", ""), bound("b", never, "Deny", ""))
	result := ask(t, with(asked("create", deployment)))[0]
	if len(result.Policies) != 3 || !strings.Contains(result.Policies[0], "'a'") || !strings.Contains(result.Policies[2], "'c'") {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestAdministratorsMayDoAllAndOthersNothing(t *testing.T) {
	with := withSet(t, bound("allowed", `"validations":[{"expression":"authorizer.group('').resource('pods').check('create').allowed()"}]`, "Deny", ""))
	for line, code := range map[string]int{
		asked("create", deployment): 201,
		`{"operation":"create","user":"somebody","object":` + deployment + `}`:         422,
		`{"operation":"create","user":"a","groups":["b"],"object":` + deployment + `}`: 422,
	} {
		if result := ask(t, with(line))[0]; result.Code != code {
			t.Errorf("%s: %+v", line, result)
		}
	}
}

func TestAPolicyThatCannotBeCompiledIsRefused(t *testing.T) {
	policy := fmt.Sprintf(policyFormat, "a", `"validations":[{"expression":"object.spec ="}]`)
	result := ask(t, `{"operation":"prepare","objects":[`+policy+`]}`)[0]
	if one := result.Results[0]; one.Code != 422 || !strings.Contains(one.Message, "compilation failed") {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestPoliciesMutateBeforeOthersValidate(t *testing.T) {
	version := ""
	for _, candidate := range scheme.PrioritizedVersionsForGroup(mutatingPolicy.Group) {
		if version == "" && scheme.Recognizes(candidate.WithKind(mutatingPolicy.Kind)) {
			version = candidate.String()
		}
	}
	if version == "" {
		t.Skip("the release has no policies that mutate")
	}
	for name, mutation := range map[string]string{
		"merged":  `{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{spec: Object.spec{replicas: 3}}"}}`,
		"patched": `{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]"}}`,
	} {
		with := withSet(t,
			`{"apiVersion":"`+version+`","kind":"MutatingAdmissionPolicy","metadata":{"name":"a"},"spec":{"reinvocationPolicy":"Never","matchConstraints":{"resourceRules":[{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["deployments"]}]},"mutations":[`+mutation+`]}}`,
			`{"apiVersion":"`+version+`","kind":"MutatingAdmissionPolicyBinding","metadata":{"name":"a"},"spec":{"policyName":"a"}}`,
			bound("three", `"validations":[{"expression":"object.spec.replicas == 3"}]`, "Deny", ""),
		)
		result := ask(t, with(asked("default", deployment)))[0]
		var stored struct{ Spec struct{ Replicas int } }
		if err := json.Unmarshal(result.Object, &stored); err != nil || stored.Spec.Replicas != 3 {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

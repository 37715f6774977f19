package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	pod        = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i:1"}]}}`
	deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"app":"APP"}},"template":{"metadata":{"labels":{"app":"APP"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}}`
	job        = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"parallelism":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i:1"}]}}}}`
)

func ask(t *testing.T, lines ...string) []answer {
	t.Helper()
	var output bytes.Buffer
	if err := serve(strings.NewReader(strings.Join(lines, "\n")), &output); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	scanner := bufio.NewScanner(&output)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var one answer
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, one)
	}
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d requests", len(answers), len(lines))
	}
	return answers
}

func asked(operation, object string) string {
	return `{"operation":"` + operation + `","object":` + object + `}`
}

func updated(old, object string) string {
	return `{"operation":"update","old":` + old + `,"object":` + object + `}`
}

func TestAnswersAreInTheOrderOfRequests(t *testing.T) {
	answers := ask(t, `{"id":1,"operation":"create","object":`+pod+`}`, `{"id":"b","operation":"version"}`)
	if string(answers[0].ID) != "1" || string(answers[1].ID) != `"b"` || answers[1].Release != release {
		t.Errorf("unexpected answers: %+v", answers)
	}
}

func TestCreate(t *testing.T) {
	for name, check := range map[string]struct {
		object string
		code   int
		text   string
	}{
		"accepted":          {pod, 201, ""},
		"wrong enum":        {strings.Replace(pod, `"containers"`, `"restartPolicy":"always","containers"`, 1), 422, "supported values"},
		"unknown field":     {strings.Replace(pod, `"image"`, `"imag"`, 1), 400, `unknown field "spec.containers[0].imag"`},
		"wrong type":        {strings.Replace(pod, `"i:1"`, `1`, 1), 400, "cannot unmarshal"},
		"no kind":           {`{}`, 400, "Kind"},
		"null":              {`null`, 400, ""},
		"unknown kind":      {`{"apiVersion":"v1","kind":"Nothing"}`, 404, ""},
		"never stored":      {`{"apiVersion":"v1","kind":"Binding"}`, 405, ""},
		"no resource":       {`{"apiVersion":"v1","kind":"ConfigMapList"}`, 404, ""},
		"removed version":   {strings.Replace(deployment, "apps/v1", "apps/v1beta1", 1), 404, "could not find the requested resource (post deployments.apps)"},
		"generated name":    {strings.Replace(pod, `"name":"a"`, `"generateName":"a-"`, 1), 201, ""},
		"generated service": {`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}}`, 201, ""},
	} {
		result := ask(t, asked("create", check.object))[0]
		if result.Code != check.code || !strings.Contains(result.Message, check.text) {
			t.Errorf("%s: %d %s", name, result.Code, result.Message)
		}
	}
}

func TestEveryKindHasAStrategyThatAnswers(t *testing.T) {
	for kind := range served {
		if strategies[kind.GroupKind()] == nil {
			continue
		}
		object, _ := json.Marshal(map[string]any{
			"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{"name": "a"},
		})
		if result := ask(t, asked("create", string(object)))[0]; result.Code != 201 && result.Code != 422 && result.Code != 400 {
			t.Errorf("%s: %d %s", kind, result.Code, result.Message)
		}
	}
}

func TestUpdateRefusesWhatIsImmutable(t *testing.T) {
	other := strings.ReplaceAll(deployment, "APP", "b")
	result := ask(t, updated(deployment, other))[0]
	if result.Code != 422 || len(result.Causes) == 0 || result.Causes[0].Field != "spec.selector" {
		t.Errorf("unexpected answer: %+v", result)
	}
	if result = ask(t, updated(job, strings.Replace(job, "i:1", "i:2", 1)))[0]; result.Code != 422 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestUpdateKeepsWhatAManifestLeavesOut(t *testing.T) {
	for _, object := range []string{pod, deployment, job} {
		if result := ask(t, updated(object, object))[0]; result.Code != 200 {
			t.Errorf("unexpected answer: %+v", result)
		}
	}
	if result := ask(t, updated(job, strings.Replace(job, `"parallelism":1`, `"parallelism":2`, 1)))[0]; result.Code != 200 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestUpdateOfTheAddressOfAService(t *testing.T) {
	service := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{ADDRESS"ports":[{"port":80}]}}`
	old := strings.Replace(service, "ADDRESS", `"clusterIP":"10.0.0.5",`, 1)
	if result := ask(t, updated(old, strings.Replace(service, "ADDRESS", "", 1)))[0]; result.Code != 200 {
		t.Errorf("unexpected answer: %+v", result)
	}
	result := ask(t, updated(old, strings.Replace(old, "0.5", "0.6", 1)))[0]
	if result.Code != 422 || result.Causes[0].Field != "spec.clusterIPs[0]" {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestServiceOfEitherFamily(t *testing.T) {
	service := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{FIELDS,"ports":[{"port":80}]}}`
	for fields, code := range map[string]int{
		`"ipFamilies":["IPv6"]`:                           201,
		`"clusterIP":"fd00::1"`:                           201,
		`"clusterIP":"fd00::1","clusterIPs":["fd00::1"]`:  201,
		`"clusterIP":"None","ipFamilies":["IPv6"]`:        201,
		`"clusterIP":"fd00::1","ipFamilies":["IPv4"]`:     422,
		`"clusterIPs":["10.0.0.1"],"ipFamilies":["IPv6"]`: 422,
		`"ipFamilyPolicy":"RequireDualStack"`:             201,
	} {
		result := ask(t, asked("create", strings.Replace(service, "FIELDS", fields, 1)))[0]
		if result.Code != code {
			t.Errorf("%s: unexpected answer: %+v", fields, result)
		}
	}
}

func TestStatusIsWrittenAfterTheCreation(t *testing.T) {
	service := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"LoadBalancer","ports":[{"port":80}]},"status":{"loadBalancer":{"ingress":[{"ip":"ADDRESS"}]}}}`
	answers := ask(t,
		asked("status", strings.Replace(service, "ADDRESS", "192.0.2.1", 1)),
		asked("status", strings.Replace(service, "ADDRESS", "192.0.2.256", 1)),
		asked("status", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`),
	)
	stored := string(answers[0].Object)
	if answers[0].Code != 200 || !strings.Contains(stored, "192.0.2.1") || strings.Contains(stored, "clusterIP\"") {
		t.Errorf("unexpected answer: %+v", answers[0])
	}
	if answers[1].Code != 422 || answers[1].Causes[0].Field != "status.loadBalancer.ingress[0].ip" {
		t.Errorf("unexpected answer: %+v", answers[1])
	}
	if answers[2].Code != 404 {
		t.Errorf("unexpected answer: %+v", answers[2])
	}
}

func TestUpdateFromAnotherVersion(t *testing.T) {
	old := `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}}}`
	object := `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":MAX,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"}}}`
	for maximum, code := range map[string]int{"4": 200, "0": 422} {
		if result := ask(t, updated(old, strings.Replace(object, "MAX", maximum, 1)))[0]; result.Code != code || result.OldRefused {
			t.Errorf("unexpected answer: %+v", result)
		}
	}
	if result := ask(t, updated(job, deployment))[0]; result.Code != 400 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestAnOldObjectThatIsRefusedIsToldApart(t *testing.T) {
	result := ask(t, updated(strings.Replace(pod, "containers", "containerz", 1), pod))[0]
	if result.Code != 400 || !result.OldRefused {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestEqualRequestsHaveEqualAnswers(t *testing.T) {
	own := strings.Replace(job, `"spec":{`, `"spec":{"selector":{"matchLabels":{"a":"b"}},`, 1)
	answers := ask(t, asked("create", own), asked("create", own))
	if answers[0].Code != 422 || answers[0].Message != answers[1].Message {
		t.Errorf("unexpected answers: %+v", answers)
	}
}

func TestDefaultFillsInWhatAServerFillsIn(t *testing.T) {
	result := ask(t, asked("default", pod))[0]
	if !bytes.Contains(result.Object, []byte(`"imagePullPolicy":"IfNotPresent"`)) || bytes.Contains(result.Object, []byte(`"uid"`)) {
		t.Errorf("unexpected object: %s", result.Object)
	}
}

func TestConvert(t *testing.T) {
	autoscaler := `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50,"scaleTargetRef":{"kind":"Deployment","name":"a"}}}`
	result := ask(t, `{"operation":"convert","to":"autoscaling/v2","object":`+autoscaler+`}`)[0]
	if !bytes.Contains(result.Object, []byte(`"averageUtilization":50`)) {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestAnUnknownFeatureGateIsRefused(t *testing.T) {
	request := `{"operation":"create","object":` + pod + `,"featureGates":{"NoSuchGate":true}}`
	if result := ask(t, request)[0]; result.Code != 400 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

func TestAPanicAnswersItsRequest(t *testing.T) {
	pods := schema.GroupKind{Kind: "Pod"}
	before := strategies[pods]
	strategies[pods] = nil
	defer func() { strategies[pods] = before }()
	answers := ask(t, asked("create", pod), asked("create", deployment))
	if answers[0].Code != 500 || answers[1].Code != 201 {
		t.Errorf("unexpected answers: %+v", answers)
	}
}

func TestACauseHasTheValueThatIsWrong(t *testing.T) {
	other := strings.Replace(strings.ReplaceAll(deployment, "APP", "b"), `"i:1"`, `"i:1","ports":[{"containerPort":0}]`, 1)
	values := map[string]string{}
	for _, line := range []string{
		asked("create", strings.Replace(pod, `"a"`, `"A"`, 1)),
		asked("create", strings.Replace(pod, `"containers"`, `"priority":1,"restartPolicy":"always","containers"`, 1)),
		updated(deployment, other),
	} {
		for _, reason := range ask(t, line)[0].Causes {
			values[reason.Field] = string(reason.BadValue)
		}
	}
	for field, value := range map[string]string{
		"metadata.name": `"A"`, "spec.restartPolicy": `"always"`,
		"spec.selector": `{"matchLabels":{"app":"b"}}`,
		"spec.template.spec.containers[0].ports[0].containerPort": "",
	} {
		if found, ok := values[field]; !ok || found != value {
			t.Errorf("%s: %q", field, found)
		}
	}
}

func TestPrivilegedContainersAreRefusedWhereARequestSaysSo(t *testing.T) {
	privileged := strings.Replace(pod, `"i:1"`, `"i:1","securityContext":{"privileged":true}`, 1)
	answers := ask(t,
		asked("create", privileged),
		`{"operation":"create","privileged":false,"object":`+privileged+`}`,
		asked("create", privileged),
	)
	if answers[0].Code != 201 || answers[1].Code != 422 || answers[2].Code != 201 {
		t.Errorf("unexpected answers: %+v", answers)
	}
}

func TestDeleteRefusesOptionsThatDoNotFit(t *testing.T) {
	for options, code := range map[string]int{
		`{}`: 200, `{"gracePeriodSeconds":5}`: 200, `{"gracePeriod":5}`: 400,
		`{"orphanDependents":true,"propagationPolicy":"Foreground"}`: 422,
		`{"preconditions":{"uid":"other"}}`:                          409,
	} {
		if result := ask(t, `{"operation":"delete","deleteOptions":`+options+`,"object":`+pod+`}`)[0]; result.Code != code {
			t.Errorf("%s: %d %s", options, result.Code, result.Message)
		}
	}
}

func TestPodSecurityForbidsPodsAndIsSaidOfTemplates(t *testing.T) {
	privileged := strings.NewReplacer(`"i:1"`, `"i:1","securityContext":{"privileged":true}`)
	for _, check := range []struct {
		object, option string
		code           int
		text           string
	}{
		{pod, `{"level":"baseline"}`, 201, ""},
		{pod, `{"level":"restricted"}`, 403, "restricted:latest"},
		{pod, `{"level":"restricted","version":"v1.8"}`, 403, "restricted:v1.8"},
		{privileged.Replace(pod), `{"level":"privileged"}`, 201, ""},
		{privileged.Replace(pod), `{"level":"baseline"}`, 403, "privileged"},
		{privileged.Replace(deployment), `{"level":"baseline"}`, 201, "privileged"},
		{privileged.Replace(job), `{"level":"baseline"}`, 201, "privileged"},
		{pod, `{"level":"strict"}`, 400, ""},
		{pod, `{"level":"baseline","version":"1.2"}`, 400, ""},
	} {
		result := ask(t, `{"operation":"create","podSecurity":`+check.option+`,"object":`+check.object+`}`)[0]
		if result.Code != check.code || (result.PodSecurity == "") != (check.text == "") || !strings.Contains(result.PodSecurity, check.text) {
			t.Errorf("%s: %+v", check.option, result)
		}
	}
}

// The sandbox holds for the rest of a process, so that another one enters it.
func TestTheSandboxRefusesFilesProgramsAndTheNetwork(t *testing.T) {
	if os.Getenv("ENTER_SANDBOX") == "" {
		command := exec.Command(os.Args[0], "-test.run", t.Name())
		command.Env = append(os.Environ(), "ENTER_SANDBOX=1")
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		return
	}
	if err := enterSandbox(); err != nil {
		t.Skip(err)
	}
	if _, err := os.ReadFile("/etc/hostname"); err == nil {
		t.Error("a file was read")
	}
	if _, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("a port was opened")
	}
	if err := exec.Command("/bin/true").Run(); err == nil {
		t.Error("a program was started")
	}
	if result := ask(t, asked("create", pod))[0]; result.Code != 201 {
		t.Errorf("unexpected answer: %+v", result)
	}
}

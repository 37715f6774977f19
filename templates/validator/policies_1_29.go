package main

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
)

// policies are admission policies, which this program does not evaluate in releases
// before 1.30: their code had another form.
type policies struct{}

// checkPolicy says why a policy of a prepared set cannot be evaluated.
func checkPolicy(kind schema.GroupKind) error {
	if strings.Contains(kind.Kind, "AdmissionPolicy") {
		return apierrors.NewBadRequest("policies are evaluated as of 1.30, and not in " + release)
	}
	return nil
}

func newPolicies(*preparedSet) (*policies, error) {
	return nil, nil
}

func (*policies) stop() {}

func (*policies) mutate(context.Context, admission.Operation, runtime.Object, *object, *object) error {
	return nil
}

func (*policies) validate(context.Context, admission.Operation, runtime.Object, *object, *object) error {
	return nil
}

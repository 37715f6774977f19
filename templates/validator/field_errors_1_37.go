package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// createErrors are the errors that rest.BeforeCreate makes a status of: of a prepared
// object. Some are declared with the types, and not in the strategy.
func createErrors(ctx context.Context, rules strategy, created runtime.Object, _ metav1.Object) field.ErrorList {
	return rest.ValidateCreate(ctx, created, rules)
}

// updateErrors are the errors that rest.BeforeUpdate makes a status of.
func updateErrors(ctx context.Context, rules rest.RESTUpdateStrategy, updated, old runtime.Object, _, _ metav1.Object) field.ErrorList {
	return rest.ValidateUpdate(ctx, updated, old, rules)
}

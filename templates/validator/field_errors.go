package main

import (
	"context"

	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// createErrors are the errors that rest.BeforeCreate makes a status of: of a prepared
// object.
func createErrors(ctx context.Context, rules strategy, created runtime.Object, metadata metav1.Object) field.ErrorList {
	return append(rules.Validate(ctx, created), metadataErrors(rules, metadata)...)
}

// updateErrors are the errors that rest.BeforeUpdate makes a status of.
func updateErrors(ctx context.Context, rules rest.RESTUpdateStrategy, updated, old runtime.Object, metadata, oldMetadata metav1.Object) field.ErrorList {
	errors := metadataErrors(rules, metadata)
	errors = append(errors, genericvalidation.ValidateObjectMetaAccessorUpdate(metadata, oldMetadata, field.NewPath("metadata"))...)
	return append(errors, rules.ValidateUpdate(ctx, updated, old)...)
}

func metadataErrors(rules rest.RESTUpdateStrategy, metadata metav1.Object) field.ErrorList {
	return genericvalidation.ValidateObjectMetaAccessor(metadata, rules.NamespaceScoped(), path.ValidatePathSegmentName, field.NewPath("metadata"))
}

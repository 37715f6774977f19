//go:build !kubernetes1.30

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	encryption "k8s.io/apiserver/pkg/apis/config/v1"
)

func init() {
	// EncryptionConfiguration has a package of its own, whose scheme is private.
	installers = append(installers, func(scheme *runtime.Scheme) {
		if err := encryption.AddToScheme(scheme); err != nil {
			panic(err)
		}
	})
}

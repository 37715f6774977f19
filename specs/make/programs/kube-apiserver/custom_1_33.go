//go:build !kubernetes1.34

package main

import "k8s.io/kubernetes/cmd/kube-apiserver/app/options"

func init() {
	// From 1.34 on, its Flags adds them.
	added = append(added, options.AddCustomGlobalFlags)
}

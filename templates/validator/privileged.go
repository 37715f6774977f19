package main

import "k8s.io/kubernetes/pkg/capabilities"

// allowPrivileged sets whether containers may be privileged, as the flag of an API server
// does. A server does it once, and only what its tests use does it again.
func allowPrivileged(allowed bool) {
	capabilities.ResetForTest()
	capabilities.Setup(allowed, 0)
}

package main

import "k8s.io/apiserver/pkg/admission"

// mutatingPlugin would be the plugin of policies that mutate, which the release does not
// have.
const mutatingPlugin = "MutatingAdmissionPolicy"

func registerMutating(*admission.Plugins) {}

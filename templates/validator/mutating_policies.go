package main

import "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"

// mutatingPlugin is the plugin of policies that mutate, and its feature gate.
const mutatingPlugin = mutating.PluginName

var registerMutating = mutating.Register

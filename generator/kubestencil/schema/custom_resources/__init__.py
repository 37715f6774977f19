"""Reads CustomResourceDefinitions into the definitions that kube-apiserver serves."""

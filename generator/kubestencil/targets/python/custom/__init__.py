"""Classes and modules of the models of custom resources."""

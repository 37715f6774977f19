"""Files of the models of custom resources."""

"""JSON Schemas, as yannh/kubernetes-json-schema publishes them."""

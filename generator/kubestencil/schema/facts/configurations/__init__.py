"""The configuration files of programs, such as the kubelet's: kinds that no server serves
and no OpenAPI document has. ``table`` reads their fields, and ``join`` adds their
definitions to a release."""

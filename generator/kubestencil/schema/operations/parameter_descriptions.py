"""What the parameters of operations mean, in short words of our own.

Embedded documents do not describe parameters, and others describe most of them in
several paragraphs.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Descriptions by the name of the parameter in the document.
#: Source: ListOptions, GetOptions, CreateOptions, UpdateOptions, PatchOptions and
#: DeleteOptions (apimachinery, meta/v1/types.go), and the options of the subresources of
#: a Pod (k8s.io/api, core/v1/types.go).
PARAMETER_DESCRIPTIONS: Mapping[str, str] = {
    "allowWatchBookmarks": "a watch also sends events that only name a resourceVersion",
    "command": "the command, and each of its arguments",
    "container": "the container; needed where the Pod has several",
    "continue": "the next page of a list: what the metadata of the page before has",
    "dryRun": "All: the request is validated and answered, but nothing is stored",
    "fieldManager": "the name that owns the fields that are set",
    "fieldSelector": "only objects with these values of fields: metadata.name=web",
    "fieldValidation": "unknown and repeated fields: Strict refuses them, Warn warns,"
    " Ignore drops them",
    "follow": "the log is sent as it is written",
    "force": "server-side apply takes over fields that other managers own",
    "gracePeriodSeconds": "the seconds before the object is deleted; 0 deletes it at once",
    "ignoreStoreReadErrorWithClusterBreakingPotential": "deletes an object that cannot be"
    " read from storage; nothing else is done for it",
    "insecureSkipTLSVerifyBackend": "the certificate of the kubelet is not verified",
    "labelSelector": "only objects with these labels: app=web,tier!=cache",
    "limit": "the number of objects in a page",
    "limitBytes": "the number of bytes after which a log ends",
    "name": "the name of the object",
    "namespace": "the namespace of the object, or of all objects",
    "orphanDependents": "deprecated: the propagation policy replaces it",
    "path": "the path of the request to the server behind the proxy",
    "ports": "the ports to forward",
    "pretty": "true: the JSON is indented",
    "previous": "the log of the container that ended before this one",
    "propagationPolicy": "what happens to dependents: Orphan, Background, Foreground",
    "resourceVersion": "the answer is at least as new as this version; a watch"
    " starts after it",
    "resourceVersionMatch": "how the resource version applies to a list: Exact or"
    " NotOlderThan",
    "sendInitialEvents": "a watch begins with the objects that exist",
    "shardSelector": "only objects of a shard",
    "sinceSeconds": "only lines of the last seconds",
    "stderr": "what the command writes to standard error is sent",
    "stdin": "the command gets a standard input",
    "stdout": "what the command writes to standard output is sent",
    "stream": "which output the log has: All, Stdout, Stderr",
    "tailLines": "the number of lines at the end of the log",
    "timeoutSeconds": "the seconds after which a list or a watch ends",
    "timestamps": "each line begins with its time",
    "tty": "the command gets a terminal",
    "watch": "the changes are sent as they happen, instead of a list",
}

package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// protocolVersion changes when a request or an answer means something else.
const protocolVersion = 1

// request is one line of standard input.
type request struct {
	// ID is repeated in the answer.
	ID json.RawMessage `json:"id,omitempty"`
	// Operation is create, update, status, delete, default, convert, prepare or version.
	Operation string `json:"operation"`
	// Object is a manifest; Old is the manifest that was applied before it (update).
	Object json.RawMessage `json:"object,omitempty"`
	Old    json.RawMessage `json:"old,omitempty"`
	// To is the apiVersion that an object is converted to.
	To string `json:"to,omitempty"`
	// Objects are manifests that are prepared for later requests (prepare): of
	// CustomResourceDefinitions. Prepared names what was prepared, by its digest.
	Objects  json.RawMessage `json:"objects,omitempty"`
	Prepared string          `json:"prepared,omitempty"`
	// Namespace is that of objects without one: "default" if it is empty.
	Namespace string `json:"namespace,omitempty"`
	// FeatureGates are set for this request.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// User is who sends the request: an administrator if it is empty.
	User   string   `json:"user,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Privileged is whether containers may be privileged: they may if it is missing.
	Privileged *bool `json:"privileged,omitempty"`
	// PodSecurity is a level that pods, and templates of pods, are compared with.
	PodSecurity *podSecurityOption `json:"podSecurity,omitempty"`
	// DeleteOptions are the body of a request to delete the object (delete).
	DeleteOptions json.RawMessage `json:"deleteOptions,omitempty"`

	// violation says what the level of Pod Security Standards forbids.
	violation string
	// set is what was prepared.
	set *preparedSet
}

// answer is one line of standard output.
type answer struct {
	ID json.RawMessage `json:"id,omitempty"`
	// Code is the status of an API server: 201 or 200 accepted, 400 cannot be decoded,
	// 404 the kind is not served, 412 nothing is prepared under that digest, 422 invalid,
	// 500 the code of the server failed.
	Code     int                 `json:"code"`
	Reason   metav1.StatusReason `json:"reason,omitempty"`
	Message  string              `json:"message,omitempty"`
	Causes   []cause             `json:"causes,omitempty"`
	Warnings []string            `json:"warnings,omitempty"`
	// OldRefused is whether the old object of an update is what is refused.
	OldRefused bool `json:"oldRefused,omitempty"`
	// PodSecurity is what the level of the request forbids: of a pod, which is refused,
	// and of a template of pods, which a server stores.
	PodSecurity string `json:"podSecurity,omitempty"`
	// Policies are the messages of prepared policies that deny the object.
	Policies []string `json:"policies,omitempty"`
	// Object is what would be stored (default), with the status that is written after the
	// creation (status), or the converted object (convert).
	Object json.RawMessage `json:"object,omitempty"`
	// Prepared is the digest of what was prepared, and Results has an answer to the
	// creation of each of its objects (prepare).
	Prepared string   `json:"prepared,omitempty"`
	Results  []answer `json:"results,omitempty"`
	// Protocol, Release and Sandbox answer the operation version; Sandbox is what keeps the
	// program from files and the network, or why nothing does.
	Protocol int    `json:"protocol,omitempty"`
	Release  string `json:"release,omitempty"`
	Sandbox  string `json:"sandbox,omitempty"`
}

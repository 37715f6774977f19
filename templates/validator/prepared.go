package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// keptSets is how many prepared sets are kept: those that were used last.
const keptSets = 4

// preparedSet is what was made of the objects of a request `prepare`: what a cluster has
// beside the object that another request is about.
type preparedSet struct {
	digest string
	// custom are the versions of custom resources that are served.
	custom map[schema.GroupVersionKind]*customVersion
	// objects are all others: admission policies, what they bind, and namespaces.
	objects  []*object
	policies *policies
	// results are the answers to the creation of each object.
	results []answer
}

// preparedSets are those that are kept, the one that was used last at the end.
var preparedSets []*preparedSet

// prepare makes a set of the objects of the request, and keeps it under the digest of
// their text. What a server would refuse is not in it.
func (asked *request) prepare() (answer, error) {
	digest := asked.digest()
	set := findPrepared(digest)
	if set == nil {
		var texts []json.RawMessage
		if err := json.Unmarshal(asked.Objects, &texts); err != nil {
			return answer{}, apierrors.NewBadRequest("objects: " + err.Error())
		}
		set = &preparedSet{digest: digest, custom: map[schema.GroupVersionKind]*customVersion{}}
		for _, text := range texts {
			set.results = append(set.results, asked.addTo(set, text))
		}
		var err error
		if set.policies, err = newPolicies(set); err != nil {
			return answer{}, apierrors.NewInternalError(err)
		}
		preparedSets = append(preparedSets, set)
		if len(preparedSets) > keptSets {
			preparedSets[0].policies.stop()
			preparedSets = append([]*preparedSet{}, preparedSets[1:]...)
		}
	}
	return answer{Code: http.StatusOK, Prepared: digest, Results: set.results}, nil
}

// digest is that of what the result of prepare depends on.
func (asked *request) digest() string {
	text := []byte(asked.Objects)
	if len(asked.FeatureGates) > 0 {
		gates, _ := json.Marshal(asked.FeatureGates)
		text = append(gates, text...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// addTo creates an object, and adds what it means for others to the set. A panic answers
// for its own object.
func (asked *request) addTo(set *preparedSet, text []byte) (result answer) {
	recorder := &warningRecorder{}
	defer func() {
		if problem := recover(); problem != nil {
			result = failure(problem)
		}
		result.Warnings = recorder.warnings
	}()
	creation := *asked
	creation.set = set
	created, err := creation.create(text, recorder)
	if err == nil {
		err = checkPolicy(created.kind.GroupKind())
	}
	if err != nil {
		return refusal(err)
	}
	switch definition := created.internal.(type) {
	case *apiextensions.CustomResourceDefinition:
		kind, err := newCustomKind(definition)
		if err != nil {
			return refusal(apierrors.NewInternalError(err))
		}
		for _, served := range kind.served {
			set.custom[served.kind] = served
		}
	default:
		set.objects = append(set.objects, created)
	}
	return answer{Code: http.StatusCreated}
}

// admission are the policies of the set that was prepared for the request.
func (asked *request) admission() *policies {
	if asked.set == nil {
		return nil
	}
	return asked.set.policies
}

// findPrepared is a kept set; nil where there is none.
func findPrepared(digest string) *preparedSet {
	for index, set := range preparedSets {
		if set.digest == digest {
			others := append([]*preparedSet{}, preparedSets[:index]...)
			preparedSets = append(append(others, preparedSets[index+1:]...), set)
			return set
		}
	}
	return nil
}

// findSet sets what was prepared for the request.
func (asked *request) findSet() error {
	if asked.Prepared == "" {
		return nil
	}
	asked.set = findPrepared(asked.Prepared)
	if asked.set == nil {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Code:    http.StatusPreconditionFailed,
			Message: fmt.Sprintf("nothing is prepared under %q", asked.Prepared),
		}}
	}
	return nil
}

// customVersionOf is the prepared version of custom resources that a manifest is written
// in; nil where there is none.
func (set *preparedSet) customVersionOf(data []byte) *customVersion {
	if set == nil {
		return nil
	}
	kind, err := jsonserializer.DefaultMetaFactory.Interpret(data)
	if err != nil || scheme.Recognizes(*kind) {
		return nil
	}
	return set.custom[*kind]
}

// Converts objects with the code of an old API server: reads JSON objects {"to":
// apiVersion, "object": …}, and prints each object in that version on a line, or a string
// that says why not.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

type question struct {
	To     string          `json:"to"`
	Object json.RawMessage `json:"object"`
}

func convert(item question) ([]byte, error) {
	version, err := schema.ParseGroupVersion(item.To)
	if err != nil {
		return nil, err
	}
	codec := legacyscheme.Codecs.CodecForVersions(
		legacyscheme.Codecs.LegacyCodec(version),
		legacyscheme.Codecs.UniversalDeserializer(),
		version,
		runtime.InternalGroupVersioner,
	)
	object, _, err := codec.Decode(item.Object, nil, nil)
	if err != nil {
		return nil, err
	}
	return runtime.Encode(codec, object)
}

func main() {
	extensions.Install(legacyscheme.Scheme)
	questions := json.NewDecoder(os.Stdin)
	for {
		var item question
		if questions.Decode(&item) != nil {
			return
		}
		if data, err := convert(item); err != nil {
			fmt.Printf("%q\n", err.Error())
		} else {
			fmt.Printf("%s", data)
		}
	}
}

package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Options are the options of a component as they are before its command line is read: the
// flags that it declares, and what makes its configuration file, as an object, of them. A
// component without such a file has none.
type Options struct {
	Sets []*pflag.FlagSet
	File func() (any, error)
}

var (
	saidDeprecated = regexp.MustCompile(`(?i)^\W*deprecated\b`)
	// Values of any type of flag; one that is the default changes nothing.
	values = []string{"true", "false", "7", "8", "7s", "127.0.0.7", "10.7.0.0/16", "AllAlpha=false", "a=7", "a=b:NoSchedule", "a:7", "a<7", "0:memory=1Gi", "a"}
)

// Flags prints the flags of a component: whether it is deprecated, its type, its default
// as its help has it, and the field of the configuration file that it changes, with the names
// of outer ones.
func Flags(component string, options func() Options) {
	seen := map[string]bool{"help": true, "version": true}
	for index, set := range options().Sets {
		set.VisitAll(func(flag *pflag.Flag) {
			name := strings.ReplaceAll(flag.Name, "_", "-")
			if seen[name] {
				return
			}
			seen[name] = true
			deprecated := ""
			if flag.Deprecated != "" || saidDeprecated.MatchString(flag.Usage) {
				deprecated = "deprecated"
			}
			Row("flags", component, name, deprecated, flag.Value.Type(), flag.DefValue, field(options, index, flag.Name))
		})
	}
}

// The field of the configuration file that a flag changes; empty where it changes none.
func field(options func() Options, index int, name string) string {
	for _, value := range values {
		changed := options()
		if changed.File == nil {
			return ""
		}
		if changed.Sets[index].Set(name, value) != nil {
			continue
		}
		before, err := leaves(options())
		if err != nil {
			panic(err)
		}
		// A value can be one that the component does not start with.
		after, err := leaves(changed)
		if err != nil {
			continue
		}
		if path := difference(before, after); path != "" {
			return path
		}
	}
	return ""
}

// The values of a configuration file by the names of their fields, with dots between them.
func leaves(options Options) (map[string]string, error) {
	file, err := options.File()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	found := map[string]string{}
	add(found, "", object)
	return found, nil
}

func add(found map[string]string, prefix string, object map[string]any) {
	for name, value := range object {
		if inner, ok := value.(map[string]any); ok {
			add(found, prefix+name+".", inner)
		} else {
			found[prefix+name] = fmt.Sprint(value)
		}
	}
}

// The path that all values have in common that are not the same in two files.
func difference(before, after map[string]string) string {
	var common []string
	isFirst := true
	for path, value := range after {
		former, isOld := before[path]
		if isOld && former == value {
			continue
		}
		names := strings.Split(path, ".")
		if isFirst {
			common, isFirst = names, false
		}
		for index := range common {
			if index >= len(names) || names[index] != common[index] {
				common = common[:index]
				break
			}
		}
	}
	return strings.Join(common, ".")
}

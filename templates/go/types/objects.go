package types

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

type field struct {
	name       string
	isOptional bool
	value      reflect.Value
}

// fieldsOf are the fields of a struct by the names of the API, and the map with all
// others, where it has one. A name that encoding/json cannot have in its tag is in a tag
// of its own, after the option.
func fieldsOf(object reflect.Value) ([]field, reflect.Value) {
	var fields []field
	var others reflect.Value
	for index := range object.NumField() {
		tag, value := object.Type().Field(index).Tag, object.Field(index)
		if option, name, ok := strings.Cut(tag.Get("name"), ","); ok {
			fields = append(fields, field{name, option == "omitzero", value})
		} else if name, option, _ := strings.Cut(tag.Get("json"), ","); name != "-" {
			fields = append(fields, field{name, option == "omitzero", value})
		} else {
			others = value
		}
	}
	return fields, others
}

// MarshalObject writes a struct as JSON: its fields, and then those that its schema does
// not have, sorted.
func MarshalObject(object any) ([]byte, error) {
	fields, others := fieldsOf(reflect.ValueOf(object))
	names := map[string]bool{}
	var text bytes.Buffer
	write := func(name string, value any) error {
		names[name] = true
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		data, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if text.Len() > 0 {
			text.WriteByte(',')
		}
		text.Write(key)
		text.WriteByte(':')
		text.Write(data)
		return nil
	}
	for _, field := range fields {
		if field.isOptional && field.value.IsZero() {
			continue
		}
		if err := write(field.name, field.value.Interface()); err != nil {
			return nil, err
		}
	}
	if others.IsValid() {
		values := others.Interface().(map[string]Any)
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if names[name] {
				continue
			}
			if err := write(name, values[name]); err != nil {
				return nil, err
			}
		}
	}
	return append(append([]byte{'{'}, text.Bytes()...), '}'), nil
}

// UnmarshalObject reads the fields of a struct, and those that its schema does not have.
// Unlike encoding/json, it tells names apart that differ in case only.
func UnmarshalObject(data []byte, object any) error {
	var members map[string]Any
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return err
	}
	fields, others := fieldsOf(reflect.ValueOf(object).Elem())
	for _, field := range fields {
		member, ok := members[field.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(member, field.value.Addr().Interface()); err != nil {
			return fmt.Errorf("%s: %w", field.name, err)
		}
		delete(members, field.name)
	}
	if others.IsValid() {
		others.SetZero()
		if len(members) > 0 {
			others.Set(reflect.ValueOf(members))
		}
	}
	return nil
}

// Package types has the values of the Kubernetes API that JSON has no type for.
package types

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Any is any JSON value.
type Any = json.RawMessage

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](value T) *T {
	return &value
}

// Nullable is a value of an optional field, or null. The zero value is neither: the field
// is absent.
type Nullable[T any] struct {
	value *T
	isSet bool
}

// Value is a value of a field that may be null.
func Value[T any](value T) Nullable[T] {
	return Nullable[T]{value: &value, isSet: true}
}

// Null is null.
func Null[T any]() Nullable[T] {
	return Nullable[T]{isSet: true}
}

// Get is a pointer to the value, nil where the field is null or absent.
func (nullable Nullable[T]) Get() *T {
	return nullable.value
}

// IsNull is whether the field is there, and null.
func (nullable Nullable[T]) IsNull() bool {
	return nullable.isSet && nullable.value == nil
}

// IsZero is whether the field is absent.
func (nullable Nullable[T]) IsZero() bool {
	return !nullable.isSet
}

// MarshalJSON writes the value, or null.
func (nullable Nullable[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(nullable.value)
}

// UnmarshalJSON reads a value or null.
func (nullable *Nullable[T]) UnmarshalJSON(data []byte) error {
	*nullable = Nullable[T]{isSet: true}
	return json.Unmarshal(data, &nullable.value)
}

// Quantity is a number with a unit, such as 500m or 1Gi.
type Quantity string

// UnmarshalJSON reads a string or a number.
func (quantity *Quantity) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*quantity = Quantity(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	*quantity = Quantity(number)
	return nil
}

// IntOrString is an integer or a string: a port or its name, a number or a percentage.
// The zero value is the integer 0.
type IntOrString struct {
	number   int64
	text     string
	isString bool
}

// FromInt is an integer.
func FromInt(number int32) IntOrString {
	return IntOrString{number: int64(number)}
}

// FromInt64 is an integer, which may be larger in custom resources.
func FromInt64(number int64) IntOrString {
	return IntOrString{number: number}
}

// FromString is a string.
func FromString(text string) IntOrString {
	return IntOrString{text: text, isString: true}
}

// Int is the integer, and whether it is one that has 32 bits.
func (value IntOrString) Int() (int32, bool) {
	number := int32(value.number)
	return number, !value.isString && int64(number) == value.number
}

// Int64 is the integer, and whether it is one.
func (value IntOrString) Int64() (int64, bool) {
	return value.number, !value.isString
}

// String is the string, or the integer in digits.
func (value IntOrString) String() string {
	if value.isString {
		return value.text
	}
	return strconv.FormatInt(value.number, 10)
}

// MarshalJSON writes the integer or the string.
func (value IntOrString) MarshalJSON() ([]byte, error) {
	if value.isString {
		return json.Marshal(value.text)
	}
	return json.Marshal(value.number)
}

// UnmarshalJSON reads an integer or a string.
func (value *IntOrString) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*value = IntOrString{isString: true}
		return json.Unmarshal(data, &value.text)
	}
	*value = IntOrString{}
	return json.Unmarshal(data, &value.number)
}

// Time is a time to the second. The zero value is null.
type Time struct {
	time.Time
}

// MarshalJSON writes the time as an API server does.
func (value Time) MarshalJSON() ([]byte, error) {
	return marshalTime(value.Time, time.RFC3339)
}

// UnmarshalJSON reads a time or null.
func (value *Time) UnmarshalJSON(data []byte) error {
	return unmarshalTime(&value.Time, data)
}

const microTime = "2006-01-02T15:04:05.000000Z07:00"

// MicroTime is a time to the microsecond. The zero value is null.
type MicroTime struct {
	time.Time
}

// MarshalJSON writes the time as an API server does.
func (value MicroTime) MarshalJSON() ([]byte, error) {
	return marshalTime(value.Time, microTime)
}

// UnmarshalJSON reads a time or null.
func (value *MicroTime) UnmarshalJSON(data []byte) error {
	return unmarshalTime(&value.Time, data)
}

func marshalTime(value time.Time, layout string) ([]byte, error) {
	if value.IsZero() {
		return []byte("null"), nil
	}
	if year := value.Year(); year < 0 || year > 9999 {
		return nil, fmt.Errorf("the year %d has more than four digits", year)
	}
	return json.Marshal(value.UTC().Format(layout))
}

func unmarshalTime(value *time.Time, data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		*value = time.Time{}
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return err
	}
	*value = parsed
	return nil
}

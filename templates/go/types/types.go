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
	number   int32
	text     string
	isString bool
}

// FromInt is an integer.
func FromInt(number int32) IntOrString {
	return IntOrString{number: number}
}

// FromString is a string.
func FromString(text string) IntOrString {
	return IntOrString{text: text, isString: true}
}

// Int is the integer, and whether it is one.
func (value IntOrString) Int() (int32, bool) {
	return value.number, !value.isString
}

// String is the string, or the integer in digits.
func (value IntOrString) String() string {
	if value.isString {
		return value.text
	}
	return strconv.Itoa(int(value.number))
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

package main

import (
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// cause is one reason why an object is refused.
type cause struct {
	metav1.StatusCause
	// BadValue is the value that the server's code complains of, where it has one.
	BadValue json.RawMessage `json:"badValue,omitempty"`
}

// invalid is the status of an object that is refused, with the errors that it was made
// of: a status has no values.
type invalid struct {
	*apierrors.StatusError
	errors field.ErrorList
}

// refusedOld is the error of an update whose old object would not be created.
type refusedOld struct{ error }

// Unwrap makes the error that of the old object.
func (refused refusedOld) Unwrap() error {
	return refused.error
}

// denied is the refusal of an object by admission policies.
type denied struct {
	*apierrors.StatusError
	// messages are those of each policy.
	messages []string
}

// withFieldErrors adds the errors of fields to the status of an invalid object.
func withFieldErrors(err error, fieldErrors func() field.ErrorList) error {
	var status *apierrors.StatusError
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) {
		return err
	}
	return invalid{status, fieldErrors()}
}

// refusal is the answer of a server that returns an error.
func refusal(err error) answer {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewBadRequest(err.Error())
	}
	var refused invalid
	errors.As(err, &refused)
	var byPolicies denied
	errors.As(err, &byPolicies)
	details := status.Status()
	var old refusedOld
	result := answer{
		Code: int(details.Code), Reason: details.Reason, Message: details.Message,
		Policies: byPolicies.messages, OldRefused: errors.As(err, &old),
	}
	if details.Details != nil {
		values := badValues(refused.errors)
		for _, reason := range details.Details.Causes {
			result.Causes = append(result.Causes, cause{reason, values[[2]string{reason.Field, reason.Message}]})
		}
	}
	return result
}

// badValues are the values of errors by field and message of the cause that is made of
// each (NewInvalid in k8s.io/apimachinery/pkg/api/errors/errors.go).
func badValues(fieldErrors field.ErrorList) map[[2]string]json.RawMessage {
	values := map[[2]string]json.RawMessage{}
	for _, fieldError := range fieldErrors {
		values[[2]string{fieldError.Field, fieldError.ErrorBody()}] = valueOf(fieldError)
	}
	return values
}

// valueOf is the value that an error is about: none where something is missing, or the
// server keeps it to itself.
func valueOf(fieldError *field.Error) json.RawMessage {
	switch fieldError.Type {
	case field.ErrorTypeRequired, field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeInternal:
		return nil
	}
	if _, omitted := fieldError.BadValue.(field.OmitValueType); omitted {
		return nil
	}
	text, err := json.Marshal(fieldError.BadValue)
	if err != nil {
		return nil
	}
	return text
}

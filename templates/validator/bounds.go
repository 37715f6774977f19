package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Sizes in bytes. An object decides what an answer repeats of it, and how often.
const (
	// longestLine is more than any request of a client that keeps to largestObject.
	longestLine = 64 << 20
	// largestObject is what a server reads of a body (MaxRequestBodyBytes in
	// k8s.io/apiserver/pkg/server/config.go).
	largestObject = 3 << 20
	// longestText is that of one message, field or warning; mostText that of all causes
	// together, and of all warnings.
	longestText = 16 << 10
	mostText    = 1 << 20
)

// readLine reads a line; what is longer than longestLine is read, and left out.
func readLine(reader *bufio.Reader) (line []byte, err error) {
	for {
		part, err := reader.ReadSlice('\n')
		if len(line) <= longestLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// checkSize is the error of a server about a body that is too large.
func checkSize(data []byte) error {
	if len(data) > largestObject {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", largestObject))
	}
	return nil
}

// bound shortens the texts of an answer.
func (result *answer) bound() {
	result.Message, result.PodSecurity = shortened(result.Message), shortened(result.PodSecurity)
	left := mostText
	var causes []cause
	for _, one := range result.Causes {
		one.Field, one.Message = shortened(one.Field), shortened(one.Message)
		if len(one.BadValue) > longestText {
			one.BadValue = nil
		}
		if left -= len(one.Field) + len(one.Message) + len(one.BadValue); left < 0 {
			break
		}
		causes = append(causes, one)
	}
	left = mostText
	var warnings []string
	for _, text := range result.Warnings {
		text = shortened(text)
		if left -= len(text); left < 0 {
			break
		}
		warnings = append(warnings, text)
	}
	result.Causes, result.Warnings = causes, warnings
}

func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + "…"
}

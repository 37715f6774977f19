// Command validator answers what an API server of one release of Kubernetes would answer,
// with that server's own code: decoding, defaults, conversion and validation.
//
// It reads requests from standard input and writes an answer for each to standard output,
// in their order, as JSON on one line each (protocol.go). It reads no file and no
// variable, and opens no connection.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	// Time zones of CronJobs, which a server has built in, too.
	_ "time/tzdata"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

// sandboxProblem says why the kernel does not refuse files and the network to this
// process; nil where it does.
var sandboxProblem error

func main() {
	memory := flag.Int64("memory", 0, "bytes of memory that the program may take; 0 is without a limit")
	flag.Parse()
	if *memory > 0 {
		debug.SetMemoryLimit(*memory)
		if err := limitMemory(uint64(*memory)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	sandboxProblem = enterSandbox()
	// The server's code logs what an administrator reads, not who sends a request.
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests until the input ends.
func serve(input io.Reader, output io.Writer) error {
	reader := bufio.NewReaderSize(input, 1<<16)
	writer := bufio.NewWriter(output)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, readError := readLine(reader)
		if len(line) > 1 {
			if err := encoder.Encode(respond(line)); err != nil {
				return err
			}
		}
		// Answers are sent together while more requests are waiting.
		if readError != nil || reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(readError, io.EOF) {
			return nil
		}
		if readError != nil {
			return readError
		}
	}
}

// respond answers one line. A panic of the server's code answers its own request.
func respond(line []byte) (result answer) {
	var asked request
	defer func() {
		if problem := recover(); problem != nil {
			result = failure(problem)
		}
		result.bound()
		result.ID = asked.ID
	}()
	if len(line) > longestLine {
		return refusal(apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", longestLine)))
	}
	if err := json.Unmarshal(line, &asked); err != nil {
		return refusal(apierrors.NewBadRequest("not a request: " + err.Error()))
	}
	result, err := asked.perform()
	if err != nil {
		warnings := result.Warnings
		result = refusal(err)
		result.Warnings = warnings
	}
	result.PodSecurity = asked.violation
	return result
}

// failure is the answer where the server's code panics.
func failure(problem any) answer {
	return answer{
		Code:    http.StatusInternalServerError,
		Message: fmt.Sprintf("the code of the API server failed: %v", problem),
	}
}

// Package report prints rows of tables, cells between tabs, for specs/make/program.py.
package report

import (
	"bufio"
	"os"
	"strings"
)

var out = bufio.NewWriter(os.Stdout)

// Row prints a row of a table.
func Row(table string, cells ...string) {
	for _, cell := range cells {
		if strings.ContainsAny(cell, "\t\n") {
			panic("not a cell: " + cell)
		}
	}
	out.WriteString(table + "\t" + strings.Join(cells, "\t") + "\n")
}

// Flush writes what was printed.
func Flush() {
	if err := out.Flush(); err != nil {
		panic(err)
	}
}

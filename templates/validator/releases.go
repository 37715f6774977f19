package main

import "reflect"

// call calls a function of the server whose parameters differ between releases: each gets
// the first argument that fits its type, and zero where none does.
func call(function any, arguments ...any) []any {
	callee := reflect.ValueOf(function)
	values := make([]reflect.Value, callee.Type().NumIn())
	for index := range values {
		values[index] = argumentOf(callee.Type().In(index), arguments)
	}
	var results []any
	for _, result := range callee.Call(values) {
		results = append(results, result.Interface())
	}
	return results
}

func argumentOf(parameter reflect.Type, arguments []any) reflect.Value {
	for _, argument := range arguments {
		if value := reflect.ValueOf(argument); value.Type().AssignableTo(parameter) {
			return value
		}
	}
	return reflect.Zero(parameter)
}

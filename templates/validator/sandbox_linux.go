//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The offsets of struct seccomp_data (linux/seccomp.h).
const (
	numberOffset       = 0
	architectureOffset = 4
)

// Constants of linux/seccomp.h, which golang.org/x/sys of old releases does not have.
const (
	seccompSetModeFilter   = 1
	seccompFilterFlagTsync = 1
	seccompRetErrno        = 0x00050000
	seccompRetAllow        = 0x7fff0000
)

// refusedCalls are the system calls by which a program reads files, starts programs and
// reaches the network.
var refusedCalls = append([]uint32{
	unix.SYS_OPENAT2, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR,
	unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_IO_URING_SETUP, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT,
	unix.SYS_SYMLINKAT, unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_KILL, unix.SYS_TKILL,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_MOUNT,
}, architectureCalls...)

// reservedMemory is what Go reserves of the address space and does not use.
const reservedMemory = 2 << 30

// limitMemory makes the kernel end a process that takes more memory than this.
func limitMemory(bytes uint64) error {
	limit := bytes + reservedMemory
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit})
}

// enterSandbox makes the kernel refuse files, programs and the network to all threads of
// this process (seccomp(2)).
func enterSandbox() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	filter := sandboxFilter()
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, problem := unix.Syscall(
		unix.SYS_SECCOMP, seccompSetModeFilter,
		seccompFilterFlagTsync, uintptr(unsafe.Pointer(&program)),
	)
	runtime.KeepAlive(filter)
	if problem != 0 {
		return fmt.Errorf("seccomp: %w", problem)
	}
	return nil
}

// sandboxFilter is the program that the kernel runs for each system call: EPERM for
// refused ones, and for those of another architecture. A file is not there, so that the
// code says what it says without it.
func sandboxFilter() []unix.SockFilter {
	refuse := statement(unix.BPF_RET|unix.BPF_K, seccompRetErrno|uint32(unix.EPERM))
	hide := statement(unix.BPF_RET|unix.BPF_K, seccompRetErrno|uint32(unix.ENOENT))
	filter := []unix.SockFilter{
		statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, architectureOffset),
		jump(architecture, 1, 0),
		refuse,
		statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, numberOffset),
		jump(unix.SYS_OPENAT, 0, 1),
		hide,
	}
	for _, number := range refusedCalls {
		filter = append(filter, jump(number, 0, 1), refuse)
	}
	return append(filter, statement(unix.BPF_RET|unix.BPF_K, seccompRetAllow))
}

func statement(code uint16, value uint32) unix.SockFilter {
	return unix.SockFilter{Code: code, K: value}
}

// jump skips statements: so many where the loaded value is equal, and so many elsewhere.
func jump(value uint32, equal, different uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: equal, Jf: different, K: value}
}

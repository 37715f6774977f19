package main

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// architectureCalls are calls that other architectures have besides.
var architectureCalls = []uint32{unix.SYS_RENAMEAT}

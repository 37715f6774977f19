package main

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// architectureCalls are calls that newer architectures do not have.
var architectureCalls = []uint32{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT,
	unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD,
	unix.SYS_FORK, unix.SYS_VFORK,
}

//go:build unix

package mock

import (
	"os/exec"
	"syscall"
)

// group starts a process group, so that the signal reaches the mock behind npx, which forwards none.
func group(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func end(process *exec.Cmd) { _ = syscall.Kill(-process.Process.Pid, syscall.SIGTERM) }

//go:build !unix

package mock

import "os/exec"

func group(*exec.Cmd) {}

func end(process *exec.Cmd) { _ = process.Process.Kill() }

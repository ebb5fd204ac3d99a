#!/usr/bin/env bash
# The compiler of the npm package `solc`, as a program that forge can call.
cd "$(dirname "$0")" || exit 1
for argument in "$@"; do
  if [ "$argument" = --version ]; then
    exec node -p '"solc, the solidity compiler commandline interface\nVersion: " + require("solc").version()'
  fi
done
exec node -e '
  let input = ""
  process.stdin.on("data", part => (input += part))
  process.stdin.on("end", () => process.stdout.write(require("solc").compile(input)))'

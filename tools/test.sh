#!/bin/sh
# npm test: sets up what the tests need (Node, dependencies), then runs them all. Needs a POSIX shell, any Node >= 18 and npm.
set -eu
cd "$(dirname "$0")/.."
. tools/node.sh
mendlet_node
mendlet_install . "test dependencies" --include=dev
exec node tools/test.ts "$@"

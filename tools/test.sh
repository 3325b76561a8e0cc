#!/bin/sh
# npm test: sets up what the tests need (Node, dependencies), then runs them all. Needs a POSIX shell, any Node >= 18 and npm.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
. tools/set-up.sh
set_up tests
PATH="${node%/*}:$PATH"
export PATH
exec "$node" tools/test.ts "$@"

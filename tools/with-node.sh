#!/bin/sh
# Runs a script of the project with a Node that is new enough, and everything that development needs installed.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
. tools/set-up.sh
set_up tests
PATH="${node%/*}:$PATH"
export PATH
exec "$node" "$@"

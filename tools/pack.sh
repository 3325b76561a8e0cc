#!/bin/sh
# npm run bundle, and npm's prepack: makes dist/ from nothing, with any Node.js >= 18.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
. tools/set-up.sh
rm -rf dist
set_up bundle

# Set-up of a checkout, to be sourced by POSIX sh with `root` set to the checkout's folder.
#
#   set_up node      `node` is a Node.js that is new enough: the present one, or the one pinned in tools/node
#   set_up bundle    the above, and dist/ holds the bundle of the sources as they are now
#   set_up tests     the first, and node_modules holds everything that development needs
#
# Every step is skipped when its stamp fits, so that a warm start costs some milliseconds. Steps run under a lock: of
# several first starts at once one works and the others wait. npm's output goes to a log, shown when it fails.
# shellcheck shell=sh disable=SC2154

NODE_MAJOR=24
NODE_MINOR=15
cache=$root/.cache/set-up
lock=$cache/lock
lock_held=

say() { printf 'mendlet: %s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Whether the Node.js at $1 runs and is at least NODE_MAJOR.NODE_MINOR.
node_fits() {
  version=$("$1" -v 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt "$NODE_MAJOR" ] || { [ "$major" -eq "$NODE_MAJOR" ] && [ "$minor" -ge "$NODE_MINOR" ]; }
}

# Sets `node` if one that fits is there already.
find_node() {
  present=$(command -v node 2>/dev/null || true)
  if [ -n "$present" ] && node_fits "$present"; then
    node=$present
    return 0
  fi
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "needs Node.js $NODE_MAJOR.$NODE_MINOR or newer, and none is known for $(uname -m): install it and try again" ;;
  esac
  node=$root/tools/node/node_modules/node-linux-$arch/bin/node
  [ -x "$node" ] && stamp_fits "$root/tools/node/node_modules/.mendlet-stamp" "$(digest tools/node/package-lock.json)"
}

# One line that changes whenever a file or folder given (relative to the checkout) changes. Tests do not count.
digest() {
  if command -v sha256sum >/dev/null 2>&1; then sum=sha256sum; else sum=cksum; fi
  (
    cd "$root" || exit 1
    find "$@" -type f ! -name '*.test.ts' ! -path '*/node_modules/*' | LC_ALL=C sort | xargs "$sum" | "$sum"
  )
}

stamp_fits() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

# A stamp is renamed into place: it says what is complete, never what was begun.
write_stamp() {
  printf '%s\n' "$2" >"$1.$$"
  mv -f "$1.$$" "$1"
}

# When process $1 started, in ticks since boot; nothing if there is no such process. A pid alone may have been used again.
started_at() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# The lock is a symbolic link whose target names the holder: made in one step, whole or not at all.
holder_gone() {
  holder=$(readlink "$lock") || return 1
  [ "$(started_at "${holder%:*}")" != "${holder#*:}" ]
}

# Takes the lock, waiting for another start's set-up to end. A killed holder's lock is taken over; a folder makes sure that
# only one of several waiters does so.
take_lock() {
  mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] ||
    fail "cannot write to $root: the first start there needs to (it puts Node.js, libraries and the bundle into it)"
  waited=0
  while ! ln -s "$$:$(started_at $$)" "$lock" 2>/dev/null; do
    [ "$waited" -ne 1 ] || say "another start is setting up this checkout; waiting for it"
    if holder_gone && mkdir "$lock.takeover" 2>/dev/null; then
      if holder_gone; then rm -f "$lock"; fi
      rmdir "$lock.takeover"
    fi
    waited=$((waited + 1))
    [ "$waited" -lt 900 ] || fail "gave up waiting for $lock; if nothing is setting up, remove that and $lock.takeover"
    sleep 1
  done
  lock_held=1
  trap 'release_lock' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

release_lock() {
  [ -z "$lock_held" ] || rm -f "$lock"
  lock_held=
  trap - EXIT HUP INT TERM
}

# Runs the rest of the arguments in folder $1 as step $2; its output goes to a log that is shown when it fails.
run_step() {
  folder=$1
  log=$cache/$2.log
  shift 2
  if ! (cd "$folder" && "$@") >"$log" 2>&1; then
    say "this failed (in $folder): $*"
    tail -n 20 "$log" | sed 's/^/    /' >&2
    if grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|ECONNRESET|EHOSTUNREACH' "$log"; then
      say "the npm registry cannot be reached: is there a network, and a proxy or registry to set for npm (npm config set registry URL)?"
    elif grep -qE 'EACCES|EROFS|EPERM' "$log"; then
      say "the folder cannot be written: use a checkout that belongs to you"
    elif grep -q 'ENOSPC' "$log"; then
      say "the disk is full"
    fi
    fail "the whole log is in $log"
  fi
}

# `npm install --no-save` keeps to the lock; no package's install script is run. What a user's npm leaves out elsewhere
# (omit, NODE_ENV=production) is needed here. npm's own waits between its tries would be silent for more than a minute.
npm_install() {
  command -v npm >/dev/null 2>&1 || fail "npm is needed for the first start and is not installed (on Debian: apt-get install npm)"
  command -v node >/dev/null 2>&1 || fail "Node.js 18 or newer is needed for the first start and is not installed (on Debian: apt-get install nodejs npm)"
  folder_of_packages=$1
  step=$2
  shift 2
  run_step "$folder_of_packages" "$step" npm install --no-save --ignore-scripts --no-audit --no-fund --no-update-notifier \
    --include=optional --include=dev --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=10000 "$@"
}

install_node() {
  find_node && return 0
  say "fetching Node.js $NODE_MAJOR into tools/node ($NODE_MAJOR.$NODE_MINOR or newer is needed, here is $("${present:-false}" -v 2>/dev/null || echo none))"
  rm -f "$root/tools/node/node_modules/.mendlet-stamp"
  npm_install "$root/tools/node" node
  # One of the two is for another machine, so both are optional, and npm tells nothing of an optional package that it could
  # not fetch: asking for it by name tells why.
  [ -x "$node" ] || run_step "$root/tools/node" node-again npm view "node-linux-$arch" dist.tarball --fetch-retries=0
  [ -x "$node" ] && node_fits "$node" || fail "npm fetched no Node.js that runs on this machine: $node"
  write_stamp "$root/tools/node/node_modules/.mendlet-stamp" "$(digest tools/node/package-lock.json)"
}

install_packages() {
  folder=$1
  wanted=$(digest "$2/package-lock.json")
  stamp_fits "$folder/node_modules/.mendlet-stamp" "$wanted" && return 0
  say "fetching $3"
  rm -f "$folder/node_modules/.mendlet-stamp"
  npm_install "$folder" "$4"
  write_stamp "$folder/node_modules/.mendlet-stamp" "$wanted"
}

bundle_digest() { digest src tools/bundle.ts tools/bundle/package-lock.json package.json; }

bundle_fits() { [ -f "$root/dist/mendlet.js" ] && stamp_fits "$root/dist/.stamp" "$(bundle_digest)"; }

make_bundle() {
  bundle_fits && return 0
  install_packages "$root/tools/bundle" tools/bundle "the libraries" bundle
  say "bundling"
  # The digest is taken before: a source changed meanwhile makes the next start bundle again.
  wanted=$(bundle_digest)
  rm -f "$root/dist/.stamp"
  run_step "$root" bundling "$node" tools/bundle.ts
  write_stamp "$root/dist/.stamp" "$wanted"
}

set_up() {
  case $1 in
    node) find_node && return 0 ;;
    bundle) find_node && bundle_fits && return 0 ;;
    tests) find_node && stamp_fits "$root/node_modules/.mendlet-stamp" "$(digest package-lock.json)" && return 0 ;;
  esac
  take_lock
  install_node
  case $1 in
    bundle) make_bundle ;;
    tests) install_packages "$root" . "what development needs" tests ;;
  esac
  release_lock
}

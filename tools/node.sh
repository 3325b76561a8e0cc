# Sourced by ./mendlet and tools/test.sh: puts a Node that is new enough on PATH and installs from lock files.
# Needs only a POSIX shell, any Node >= 18 and npm. Runs in the checkout's root.

say() { printf '%s\n' "mendlet: $*" >&2; }

# True if `$1` is a Node of at least 24.15.
mendlet_node_fits() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 24 || (a === 24 && b >= 15) ? 0 : 1)' 2>/dev/null
}

# mendlet_install FOLDER WHAT [npm options]: installs FOLDER's lock, once for each content of the lock. npm's own output goes to
# a log that is shown when it fails. `--no-save` with a lock keeps to the lock; `npm ci` refuses locks that lack other
# platforms' binaries (npm/cli#9846).
mendlet_install() {
  folder=$1 what=$2
  shift 2
  stamp="$folder/node_modules/.mendlet-$(cksum <"$folder/package-lock.json" | tr ' ' '-')$(printf '%s' "$*" | tr -c 'a-z' '-')"
  [ -f "$stamp" ] && return 0
  command -v npm >/dev/null 2>&1 || { say "npm is not installed; install Node.js 18 or newer with npm"; exit 1; }
  say "installing $what"
  log=$(mktemp)
  if ! (cd "$folder" && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$@") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    say "could not install $what (see above; the npm registry must be reachable)"
    exit 1
  fi
  rm -f "$log"
  rm -f "$folder"/node_modules/.mendlet-*
  : >"$stamp"
}

# Puts Node >= 24.15 first on PATH: the present one if it fits, else the one pinned in tools/node.
mendlet_node() {
  command -v node >/dev/null 2>&1 || { say "node is not installed; install Node.js 18 or newer with npm"; exit 1; }
  mendlet_node_fits node && return 0
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) say "no Node >= 24.15 is pinned for $(uname -m); install one"; exit 1 ;;
  esac
  mendlet_install tools/node "Node.js 24 ($arch)"
  PATH="$PWD/tools/node/node_modules/node-linux-$arch/bin:$PATH"
  export PATH
  mendlet_node_fits node || { say "the pinned Node in tools/node does not run here"; exit 1; }
}

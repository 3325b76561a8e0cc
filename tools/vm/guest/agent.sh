#!/bin/bash
# The test's hand inside the guest: scripts come in over a virtio port, what became of them goes out. tools/vm/line-protocol.ts
# tells the lines. Scripts run side by side; each line of an answer is written whole.
set -u
work=$(mktemp -d /run/mendlet-agent.XXXXXX)
exec 3<>/dev/virtio-ports/mendlet.agent
boot=$(</proc/sys/kernel/random/boot_id)

# Each opens the lock anew: one that is inherited would be the same lock.
say() { (flock 4 && printf '%s\n' "$1" >&3) 4>"$work/lock"; }

perform() {
  local name=$work/$1
  base64 -d <<<"$2" >"$name.sh"
  bash "$name.sh" >"$name.out" 2>"$name.err" </dev/null 3>&-
  say "ended $1 $? $(base64 -w0 "$name.out") $(base64 -w0 "$name.err")"
  rm -f "$name".*
}

say "hello $boot"
while read -r verb id script; do
  case $verb in
    hello) say "hello $boot" ;;
    run) perform "$id" "$script" & ;;
  esac
done <&3

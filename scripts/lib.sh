# Shell functions shared by the scripts beside it; sourced, never run. The sourcing script has set -eu.
set -euo pipefail

# Debian's tools first: a private python3 or meson on PATH does not see Debian's modules.
export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH"
root_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*"; }

# fail CODE SENTENCE: one sentence that says what is wrong and which command mends it.
fail() {
  local code=$1
  shift
  say "$*" >&2
  exit "$code"
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# build_tree DIR [meson options]: configures DIR under the source tree if it is new, then compiles it.
build_tree() {
  local dir=$root_dir/$1
  shift
  if [ ! -f "$dir/meson-private/coredata.dat" ]; then
    say "configuring $(basename -- "$dir")/"
    meson setup "$dir" "$root_dir" "$@" >/dev/null ||
      fail 1 "meson setup failed: read $dir/meson-logs/meson-log.txt, and run scripts/setup for missing packages"
  fi
  say "building $(basename -- "$dir")/"
  ninja -C "$dir" --quiet ||
    fail 1 "the build failed: run 'ninja -C $dir' to see its first error"
}

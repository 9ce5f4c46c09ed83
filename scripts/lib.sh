# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Shell functions shared by the scripts beside it: sourced, never run by itself.
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

# build_tree TARGET...: compiles those targets of build/, which it configures first if it is new.
build_tree() {
  local dir=$root_dir/build
  if [ ! -f "$dir/meson-private/coredata.dat" ]; then
    say "configuring build/"
    meson setup "$dir" "$root_dir" -Dplatform=native >"$root_dir/build/setup.log" 2>&1 ||
      fail 1 "configuring failed, see build/setup.log; run scripts/setup for missing packages"
  fi
  say "building build/ ($*)"
  ninja -C "$dir" --quiet "$@" || fail 1 "the build failed; see all of it with: ninja -C build"
}

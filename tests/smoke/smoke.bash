# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the smoke scripts of our programs share: sourced, never run by itself. The sourcing script
# has the build directory as $1.
set -euo pipefail

export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH"
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=$(cd -- "${1:?usage: $0 BUILD_DIRECTORY}" && pwd)
lambdacast=$build_dir/app/lambdacast/lambdacast
bench=$build_dir/app/lambdacast-bench/lambdacast-bench
work_dir=$(mktemp -d)
children=()

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*"; }
fail() {
  say "FAILED: $*" >&2
  exit 1
}
skip() {
  say "skipped: $*"
  exit 77
}

# Ends what this script started, by number; further steps of a script go into at_end().
at_end() { :; }
cleanup() {
  local code=$?
  local child
  for child in ${children[@]+"${children[@]}"}; do
    # With it what it was given a time limit by `timeout`, which would go on without it.
    # shellcheck disable=SC2046
    kill -KILL $(cat "/proc/$child/task/$child/children" 2>/dev/null) "$child" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  at_end || true
  fabric_files | xargs -r rm -f --  # of a failed run: whoever held them has been ended
  rm -rf -- "$work_dir"
  exit "$code"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# This script's fabrics: no other run has their names.
fabric=smoke$$
fabrics=("$fabric" "${fabric}TERM" "${fabric}INT")

# Where the data of a fabric would lie (lib/fabric/fabric.cc hashes its name).
data_files() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import sys
mask = (1 << 64) - 1
name = sys.argv[1].encode()
value = len(name)
for byte in name:
    value = ((value ^ byte) + 0x9e3779b97f4a7c15) & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    value ^= value >> 31
folders = ['/dev/shm'] + [line.split()[1] for line in open('/proc/mounts', encoding='utf-8')
                          if line.split()[2] == 'hugetlbfs']
for folder in folders:
    print(f'{folder}/odbss-data-{value:016x}')
PYTHON
}

# Files of this script's fabrics and those of its benchmark runs.
fabric_files() {
  local name file
  for name in "${fabrics[@]}" $(cat "$work_dir/numbers" 2>/dev/null); do
    for file in "/dev/shm/odbss.$name" $(data_files "$name"); do
      [ ! -e "$file" ] || echo "$file"
    done
  done
}
# And EAL's, which leaves an empty directory.
leftovers() {
  fabric_files
  find /run/dpdk/rte -type f -newer "$work_dir/begin" 2>/dev/null || true
}
no_leftovers() {
  local left
  left=$(leftovers)
  [ -z "$left" ] || fail "left behind: $left"
}
touch "$work_dir/begin"

# A minute for a program, whose number is kept: benchmarks put it into the name of their fabric.
limited() {
  # shellcheck disable=SC2016
  timeout -k 5 60 bash -c 'echo "bench-$$" >>"$1/numbers"; shift; exec "$@"' run "$work_dir" "$@"
}

# run CODE COMMAND...: runs it to its end, output in $work_dir/out and $work_dir/err, and wants that
# exit code.
run() {
  local wanted=$1 code=0
  shift
  limited "$@" >"$work_dir/out" 2>"$work_dir/err" </dev/null || code=$?
  if [ "$code" -ne "$wanted" ]; then
    cat -- "$work_dir/out" "$work_dir/err" >&2
    fail "exit code $code instead of $wanted: $*"
  fi
}

# start NAME COMMAND...: in the background; output in $work_dir/NAME.out and .err, number in
# ${children[-1]}.
start() {
  local name=$1
  shift
  : >"$work_dir/$name.out"
  "$@" >"$work_dir/$name.out" 2>"$work_dir/$name.err" </dev/null &
  children+=("$!")
}

# ends NUMBER NAME CODE: waits for it.
ends() {
  local code=0
  wait "$1" || code=$?
  [ "$code" -eq "$3" ] && return 0
  cat -- "$work_dir/$2.out" "$work_dir/$2.err" >&2
  fail "$2 ended with $code instead of $3"
}

# ends_as_told NUMBER NAME: waits for one that may have had trouble (packets declared lost, somebody
# cut off, silent or excluded), which its exit code and its verdict tell alike.
ends_as_told() {
  local code=0
  wait "$1" || code=$?
  case $code in
    0) want "$2.out" "verdict: every packet accounted for: " ;;
    4) want "$2.out" "verdict: every packet accounted for, with trouble: " ;;
    *)
      cat -- "$work_dir/$2.out" "$work_dir/$2.err" >&2
      fail "$2 ended with $code instead of 0 or 4"
      ;;
  esac
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    read -rt 0.05 <> <(:) || true
  done
}

# file has TEXT (a fixed string)
has() { grep -qF -- "$2" "$work_dir/$1"; }
want() { has "$1" "$2" || { cat -- "$work_dir/$1" >&2; fail "no \"$2\" in $1"; }; }
refuse() { ! has "$1" "$2" || { cat -- "$work_dir/$1" >&2; fail "\"$2\" in $1"; }; }
one_sentence() {
  [ "$(wc -l <"$work_dir/$1")" -eq 1 ] || { cat -- "$work_dir/$1" >&2; fail "not one line in $1"; }
}

# endpoints FABRIC WAVELENGTHS NUMBER...: a configuration of endpoints with traffic on one lcore.
endpoints() {
  local name=$1 wavelengths=$2 number
  shift 2
  cat <<TOML
[fabric]
name = "$name"
wavelengths = $wavelengths
slots = 4096
[traffic]
enabled = true
rate_pps = ${RATE_PPS:-20000}
[[lcore]]
id = 0
idle = "sleep"
TOML
  for number in "$@"; do
    cat <<TOML
[[endpoint]]
name = "node$number"
address = "10.77.0.$((number + 1))"
wavelength = "C$((21 + number))"
TOML
  done
}

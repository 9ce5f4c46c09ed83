#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Wrong options end lambdacast-bench with exit code 2 and a sentence that names them, before EAL.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# usage TEXT OPTIONS...: refused, and says TEXT.
usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- "$@"
  want err "$text"
  [ ! -s "$work_dir/out" ] || fail "it says on standard output: $(cat "$work_dir/out")"
}
endpoints "$fabric" 2 0 1 | sed 's/^wavelength = .*/&\npath_mtu = 256/' >"$work_dir/small.toml"
endpoints "$fabric" 2 0 1 | sed 's/^wavelength = "C22"/&\nstages = { receive = 1 }/' \
  >"$work_dir/split.toml"
endpoints "$fabric" 1 0 >"$work_dir/one.toml"
usage "subcommand"
usage "--nonesuch" loss --nonesuch
usage "--nodes" loss --nodes 1
usage "--nodes" loss --nodes 33
usage "--nodes" loss --nodes four
usage "--payload" loss --payload 47
usage "--payload" loss --payload 4097
usage "--drop" loss --drop 1.5
usage "--drop-at 4 is not allowed; allowed: 0 to 3" loss --drop 0.1 --drop-at 4
usage "fast is not allowed; allowed: window, none, or a whole number" loss --pace fast
usage "0 is not allowed; allowed: window" loss --pace 0
usage "--packets 0 needs --seconds" loss --packets 0
usage "allowed: a power of two" loss --slots 100
usage "--config" loss --config "$work_dir/absent.toml"
usage "--drop is for the embedded fabric" loss --config "$source_dir/config/rack4.toml" --drop 0.1
usage "--mode" latency --mode sideways
usage "fast is not allowed; allowed: half-max, or a whole number" latency --rate fast
usage "0 is not allowed; allowed: half-max" latency --rate 0
usage "--payload" latency --payload 15
usage "--payload" latency --payload 4049
usage "--lcores 1,1 is not allowed; allowed: two different lcores" latency --lcores 1,1
usage "allowed: a power of two" latency --slots 100
usage "allowed: at most 208" latency --payload 300 --config "$work_dir/small.toml"
usage "one endpoint is not enough" latency --config "$work_dir/one.toml"
usage "--seconds 0 needs --count" throughput --seconds 0
usage "--fill" throughput --fill sometimes
usage "--icrc" throughput --icrc half
usage "fast is not allowed; allowed: window, none, or a whole number of messages" \
  throughput --pace fast
usage "--payload" throughput --payload 0
usage "--payload" throughput --payload 16777217
usage "0 is not allowed; allowed: off, on, or 1 to 10000 us" throughput --coalesce 0
usage "--lcores 1,1 is not allowed" throughput --lcores 1,1
usage "needs all stages of endpoint node1 on one lcore" throughput --config "$work_dir/split.toml"

run 0 "$bench" --help
want out "loss"
want out "latency"
want out "throughput"
run 0 "$bench" loss --help
want out "--psn-start"
run 3 "$bench" --no-such-eal-option -- loss --packets 10
want err "EAL does not start"
run 3 "$bench" loss --packets 10 --json /nonesuch/report.json
want err "cannot write /nonesuch/report.json"
no_leftovers
say "wrong options are refused with a sentence and exit code 2"

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --check-config says yes to the shipped files and starts no EAL; a bad file is refused with exit
# code 2 and file, line, key, value and what is allowed, with or without --check-config.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for file in "$source_dir"/config/*.toml; do
  # EAL would refuse this option: it is not started.
  run 0 "$lambdacast" --no-such-eal-option -- --config "$file" --check-config
  want out "$file: right, "
done

# bad LINES...: what the message must have, of the file on standard input.
bad() {
  local text option
  cat >"$work_dir/bad.toml"
  for option in --check-config --run-for=1; do
    run 2 "$lambdacast" --no-such-eal-option -- --config "$work_dir/bad.toml" "$option"
    for text in "$@"; do want err "$text"; done
    [ ! -s "$work_dir/out" ] || fail "it says on standard output: $(cat "$work_dir/out")"
  done
}
file=$work_dir/bad.toml
good=$(endpoints "$fabric" 2 0 1)

run 2 "$lambdacast" --config "$work_dir/absent.toml" --check-config
want err "$work_dir/absent.toml"

printf '%s\n' "$good" 'path_mtu = 1500' |
  bad "$file:19: endpoint.path_mtu: 1500 is not allowed; allowed: 256, 512, 1024, 2048 or 4096"
printf '%s\n' "$good" 'burst = "many"' | bad "$file:19: endpoint.burst: \"many\"" "allowed: "
printf '%s\n' "$good" 'brust = 32' | bad "$file:19: endpoint.brust: 32" "did you mean burst?"
printf '%s\n' "$good" 'burst = = 3' | bad "$file:19:" "is not TOML"
printf '%s\n' "$good" '[[endpoint]]' 'name = "node2"' 'address = "10.77.0.3"' 'wavelength = "C21"' |
  bad "$file:22: endpoint.wavelength: \"C21\"" 'is that of endpoint "node0"' "allowed: another"
# All mistakes at once.
printf '%s\n' "$good" 'burst = 0' 'max_peers = -1' | bad "$file:19: endpoint.burst: 0" \
  "$file:20: endpoint.max_peers: -1"

run 2 "$lambdacast" --run-for 1
run 2 "$lambdacast" --config "$source_dir/config/rack4.toml" --run-for soon
run 0 "$lambdacast" --help
want out "--check-config"
no_leftovers
say "shipped files are right, wrong ones are refused by file, line, key, value and what is allowed"

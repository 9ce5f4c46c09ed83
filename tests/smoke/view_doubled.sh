#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three nodes in a view, and a fourth with the address of the first: it gives way and ends with 3,
# with --rejoin too. All three name the pair, stay in one view and go on delivering. The same of
# nodes without membership.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

WAVELENGTHS=4
pair="two endpoints have the address $(address 0): incarnation 0x"
# give_way NAME: another node0, on a wavelength of its own, has to.
give_way() {
  sed "s/$(address 3)/$(address 0)/" "$work_dir/3.toml" >"$work_dir/$1.toml"
  start "$1" timeout -k 5 30 "$lambdacast" --config "$work_dir/$1.toml" --rejoin
  ends "${children[-1]}" "$1" 3
  want "$1.err" "$pair"
  one_sentence "$1.err"
}

start_three
node 3
give_way second
for number in 0 1 2; do says "$number" "node$number: $pair"; done
for number in 0 1 2; do goes_on "$number" 1000; done
for number in 0 1 2; do
  [ "$(grep -c " begins, members " "$work_dir/$(out_of "$number")")" -eq 1 ] ||
    fail "node$number was in another view: $(grep view "$work_dir/$(out_of "$number")")"
  [ "$(grep -c "$pair" "$work_dir/$(out_of "$number")")" -eq 1 ] ||
    fail "node$number names the pair more than once"
done
for number in 0 1 2; do end_node "$number"; done

fabric=${fabric}P
fabrics+=("$fabric")
for number in 0 1 3; do
  RATE_PPS=1000 endpoints "$fabric" 4 "$number" >"$work_dir/$number.toml"
done
for number in 0 1; do start_node "$number" "-plain"; done
for number in 0 1; do goes_on "$number" 1000; done
give_way another
for number in 0 1; do says "$number" "node$number: $pair"; done
for number in 0 1; do goes_on "$number" 1000; done
for number in 0 1; do
  kill -TERM "${process[$number]}"
  ends_as_told "${process[$number]}" "node$number-plain"
done
no_leftovers
say "$(grep "$pair" "$work_dir/$(out_of 1)")"

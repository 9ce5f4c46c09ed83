# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What the smoke scripts of the examples share: processes of one endpoint each that read standard
# input. Sourced behind smoke.bash.

# take_part NUMBER EXAMPLE ARGUMENT...: answers in NUMBER.out.
inputs=()
# In $membership a caller says that it has none.
take_part() {
  local number=$1 example=$2 fifo=$work_dir/$1.in input
  shift 2
  endpoints "$fabric" "${wavelengths:-3}" "$number" |
    sed '/^\[traffic\]/,/^rate_pps/d' >"$work_dir/$number.toml"
  # More than this machine ever keeps a process that wants to run from doing so.
  local usual="membership = { enabled = true, suspect_after_us = 1500000 }"
  echo "${membership:-$usual}" >>"$work_dir/$number.toml"
  [ -p "$fifo" ] || mkfifo "$fifo"
  : >"$work_dir/$number.out"
  (
    # Who holds a writing end open keeps the others from ever seeing the end of their input.
    for input in ${inputs[@]+"${inputs[@]}"}; do exec {input}>&-; done
    exec "$build_dir/examples/$example" "$work_dir/$number.toml" "$@" \
      <"$fifo" >"$work_dir/$number.out" 2>"$work_dir/$number.err"
  ) &
  children+=("$!")
  exec {input}>"$fifo"
  inputs[number]=$input
}
type_in() { printf '%s\n' "$2" >&"${inputs[$1]}"; } # type_in NUMBER LINE
end_input() {
  local input=${inputs[$1]}
  exec {input}>&-
  unset "inputs[$1]"
}
# shown NUMBER LINE [TIMES]: waits for it.
shown() {
  wait_for 60 shown_so_often "$1" "$2" "${3:-1}" ||
    fail "$1 does not show \"$2\": $(cat "$work_dir/$1.out" "$work_dir/$1.err")"
}
shown_so_often() { [ "$(grep -cxF -- "$2" "$work_dir/$1.out")" -ge "$3" ]; }

# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Stock dpdk-testpmd over net_odbss, driven at its prompt: sourced, after smoke.bash.
set -u

command -v dpdk-testpmd >/dev/null || skip "there is no dpdk-testpmd"
declare -A prompts   # by process name: the descriptor its commands go to
declare -A numbers   # by process name: its process number
installed=

# EAL refuses plugins below a directory that anyone may write to; then it goes where none may.
plugin=$build_dir/drivers/net/odbss/librte_net_odbss.so
[ -e "$plugin" ] || skip "$plugin is not built"
directory=$(dirname -- "$plugin")
while [ "$directory" != / ]; do
  if [ -n "$(find "$directory" -maxdepth 0 -perm -0002)" ]; then
    installed=/usr/local/lib/lambdacast-test-$$
    install -D -m 0755 -- "$plugin" "$installed/librte_net_odbss.so" 2>/dev/null ||
      skip "EAL refuses plugins below $directory, and $installed cannot be written"
    plugin=$installed/librte_net_odbss.so
    break
  fi
  directory=$(dirname -- "$directory")
done
at_end() {
  [ -z "$installed" ] || rm -rf -- "$installed"
  # What EAL leaves of a process that is not in memory only.
  rm -rf -- "/run/dpdk/$fabric"
  awk '$3 == "hugetlbfs" { print $2 }' /proc/mounts | while read -r directory; do
    rm -f -- "$directory/${fabric}map_"*
  done
}

# Two lcores that float over the CPUs there are.
eal=(--no-pci --no-telemetry -d "$plugin" --lcores "(0,1)@(0-$(($(nproc) - 1)))")
if [ "$(awk '/^HugePages_Free/ { print $2 }' /proc/meminfo)" -ge 256 ]; then
  memory=(--in-memory)
else
  say "few free hugepages: without any"
  memory=(--no-huge --no-shconf -m 256)
fi

# testpmd NAME MODE VDEV...: starts one, up to its prompt. Output in NAME.out.
testpmd() {
  local name=$1 mode=$2 vdev
  local devices=()
  shift 2
  for vdev in "$@"; do devices+=(--vdev "$vdev"); done
  mkfifo "$work_dir/$name.in"
  exec {prompt}<>"$work_dir/$name.in"
  prompts[$name]=$prompt
  : >"$work_dir/$name.out"
  stdbuf -oL dpdk-testpmd "${eal[@]}" "${memory[@]}" "${devices[@]}" -- -i --nb-cores=1 \
    --total-num-mbufs=8192 --forward-mode="$mode" \
    <"$work_dir/$name.in" >"$work_dir/$name.out" 2>&1 &
  numbers[$name]=$!
  children+=("$!")
  wait_for 20 has "$name.out" "testpmd> " ||
    { cat "$work_dir/$name.out" >&2; fail "$name: no prompt"; }
}

# tell NAME COMMAND: returns when it has been carried out. The echo of a comment shows that.
marks=0
tell() {
  marks=$((marks + 1))
  printf '%s\n# mark%s\n' "$2" "$marks" >&"${prompts[$1]}"
  wait_for 20 has "$1.out" "# mark$marks" || fail "$1 did not carry out: $2"
}

# count NAME XSTAT: as last shown.
count() {
  awk -v key="$2:" '$1 == key { value = $2 } END { print value + 0 }' "$work_dir/$1.out"
}
show() { tell "$1" "show port xstats 0"; }
# at_least NAME XSTAT NUMBER: shows and looks; for wait_for.
at_least() { show "$1" && [ "$(count "$1" "$2")" -ge "$3" ]; }

# accounted NAME WAVELENGTH: what became of the frames of that wavelength at that reader.
accounted() {
  local sum=0 part
  for part in frames missed no_mbuf filtered too_long fault_lost; do
    sum=$((sum + $(count "$1" "wl$2_$part")))
  done
  echo "$sum"
}
drained() { show "$1" && [ "$(accounted "$1" "$2")" -ge "$3" ]; }

# identity READER WAVELENGTH WRITER: the writer has been stopped. Every frame, exactly.
identity() {
  local reader=$1 wavelength=$2 writer=$3 sent
  show "$writer"
  sent=$(count "$writer" tx_good_packets)
  [ "$sent" -gt 0 ] || fail "$writer sent nothing"
  wait_for 20 drained "$reader" "$wavelength" "$sent" || true
  local line="$writer sent $sent, $reader accounts for $(accounted "$reader" "$wavelength")"
  line+=" ($(count "$reader" "wl${wavelength}_frames") received)"
  [ "$(accounted "$reader" "$wavelength")" -eq "$sent" ] || fail "$line"
  say "$line"
}

# quit NAME: it ends well.
quit() {
  printf 'quit\n' >&"${prompts[$1]}"
  local code=0
  wait "${numbers[$1]}" || code=$?
  [ "$code" -eq 0 ] || { tail -n 20 "$work_dir/$1.out" >&2; fail "$1 ended with $code"; }
}

kill_now() {
  kill -KILL "${numbers[$1]}"
  wait "${numbers[$1]}" 2>/dev/null || true
}

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The services of systemd: systemd finds nothing wrong with the units and rates their exposure low,
# the program takes the command line of its unit, and every exit code is restarted or not on
# purpose.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

command -v systemd-analyze >/dev/null ||
  skip "there is no systemd-analyze (apt-get install systemd)"
# The units as they are installed, but for the programs, which are the build's.
exporter=$build_dir/scripts/lambdacast-exporter
units=$work_dir/units
mkdir "$units"
for unit in lambdacast@.service lambdacast-exporter.service; do
  sed -e "s|^ExecStart=[^ ]*/lambdacast |ExecStart=$lambdacast |" \
    -e "s|^ExecStart=[^ ]*/lambdacast-exporter |ExecStart=$exporter |" \
    -e '/^Documentation=man:/d' "$build_dir/share/$unit" >"$units/$unit"
  grep -q "^ExecStart=$build_dir/" "$units/$unit" || fail "$unit starts no program of ours"
  run 0 systemd-analyze verify "$units/$unit"
  [ ! -s "$work_dir/err" ] || fail "systemd says of $unit: $(cat "$work_dir/err")"
done
# A mistake is found: the check above looks at something.
sed 's/^WatchdogSec=.*/WatchdogSec=soon/' "$units/lambdacast@.service" >"$units/wrong@.service"
limited systemd-analyze verify "$units/wrong@.service" >"$work_dir/out" 2>"$work_dir/err" || true
want err "soon"

# Exposure, of 100: the ports need devices, memory and capabilities, the exporter a socket.
for limit in lambdacast@.service:30 lambdacast-exporter.service:20; do
  run 0 systemd-analyze security --offline=yes --threshold="${limit#*:}" "$units/${limit%:*}"
done

# What systemd would start for rack4, with nothing in /etc/default.
mkdir "$work_dir/etc"
cp -- "$source_dir/config/rack4.toml" "$work_dir/etc/"
command_line=$(sed -n 's/^ExecStart=//p' "$units/lambdacast@.service")
command_line=${command_line//%i/rack4}
command_line=${command_line//\/etc\/lambdacast/$work_dir/etc}
command_line=$(sed 's/\$[A-Z_]*//g' <<<"$command_line")
# shellcheck disable=SC2086
run 0 $command_line --check-config
want out "rack4.toml: right, "

# 0 is no failure, 3 (memory, ports, lcores) is tried again, and all others stay down.
codes=$(sed -n 's/^ *kExit[A-Za-z]* = \([0-9]*\),.*/\1/p' "$source_dir/app/command_line.h" |
  grep -vx '[03]' | tr '\n' ' ')
[ "$codes" = "1 2 4 " ] || fail "app/command_line.h has other exit codes: 0 3 $codes"
grep -qx "RestartPreventExitStatus=${codes% }" "$units/lambdacast@.service" ||
  fail "lambdacast@.service does not keep those that exit with $codes from being restarted"

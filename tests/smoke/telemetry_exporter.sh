#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One process, three ways to ask it: the console, stock dpdk-telemetry.py and the exporter tell the
# same figures; promtool finds the exporter's format right; without a process it says so.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

exporter=$source_dir/scripts/lambdacast-exporter
promtool=$source_dir/build/promtool
endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
printf '[eal]\nargs = ["--no-huge", "--no-shconf", "-m", "512", "--file-prefix=%s"]\n' "$fabric" \
  >>"$work_dir/rack.toml"
socket=/var/run/dpdk/$fabric/dpdk_telemetry.v2
at_end() { rm -rf -- "/var/run/dpdk/$fabric"; }

# Nobody there.
code=0
"$exporter" --once --file-prefix "$fabric" >"$work_dir/out" 2>"$work_dir/err" || code=$?
[ "$code" -eq 1 ] || fail "exit code $code without a process"
want err "no DPDK process answers at $socket"
# Where EAL has its sockets in a service of systemd.
run 1 env RUNTIME_DIRECTORY="$work_dir" "$exporter" --once --file-prefix "$fabric"
want err "no DPDK process answers at $work_dir/dpdk/$fabric/dpdk_telemetry.v2"

# After a second of traffic no data moves any more.
mkfifo "$work_dir/input"
exec 9<>"$work_dir/input"
"$lambdacast" --config "$work_dir/rack.toml" --interactive \
  <"$work_dir/input" >"$work_dir/console.out" 2>"$work_dir/console.err" 9>&- &
children+=("$!")
printf 'wait 1\nstop\nwait 0.3\nshow peers\nshow port stats all\nshow drops\n' >&9
shown() { grep -q '^lambdacast> show drops' "$work_dir/console.out"; }
wait_for 30 shown || fail "the console shows nothing: $(cat "$work_dir/console.out")"

/usr/bin/python3 - "$exporter" "$fabric" "$work_dir" <<'PYTHON' || fail "see above"
import json
import subprocess
import sys
import urllib.error
import urllib.request

exporter, prefix, work_dir = sys.argv[1:]


def telemetry(command):
    """What stock dpdk-telemetry.py answers."""
    text = subprocess.run(['dpdk-telemetry.py', '-f', prefix], input=command + '\n', text=True,
                          capture_output=True, check=True, timeout=30).stdout
    return json.loads(text[text.index('{"/'):].splitlines()[0])[command.split(',')[0]]


def scrape():
    server = subprocess.Popen([exporter, '--listen', '127.0.0.1:0', '--file-prefix', prefix],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().split()[-1]
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
    finally:
        server.terminate()
        server.wait()


def same(what, *values):
    if len(set(values)) != 1:
        sys.exit(f'{what}: {values}')


status, text = scrape()
same('HTTP', status, 200)
with open(f'{work_dir}/metrics', 'w', encoding='utf-8') as stream:
    stream.write(text)
metrics = dict(line.rsplit(' ', 1) for line in text.splitlines() if not line.startswith('#'))
with open(f'{work_dir}/console.out', encoding='utf-8') as stream:
    console = [line.split() for line in stream]
same('up', metrics['lambdacast_up'], '1')
same('endpoints', telemetry('/lambdacast/endpoints'.strip()) == ['node0', 'node1'], True)
peers = telemetry('/lambdacast/peers')['rows'].values()
same('peers', len(peers), 2)
for peer in peers:
    labels = f'endpoint="{peer["endpoint"]}",peer="{peer["peer"]}",qpn="{peer["qpn"]}"'
    row = next(row for row in console if row[:2] == [peer['endpoint'], peer['peer']])
    same('received', peer['received'], int(row[3].replace(',', '')),
         int(metrics[f'lambdacast_peers_received_packets_total{{{labels}}}']))
    if peer['received'] == 0 or peer['gaps'] != 0:
        sys.exit(f'nothing, or gaps: {peer}')
    same('last', peer['last_sequence'], int(row[11].replace(',', '')))
endpoint = telemetry('/lambdacast/endpoint,node1')
ports = next(row for row in console if row[:1] == ['rx_packets'])
# Asked one after the other, and heartbeats never end.
seen = [int(ports[2].replace(',', '')),
        int(metrics['lambdacast_endpoint_rx_packets_total{endpoint="node1"}']),
        endpoint['rx_packets']]
same('rx_packets only grows', str(seen), str(sorted(seen)))
same('reasons', telemetry('/lambdacast/drop_reasons')['bad_icrc'],
     'The invariant CRC is wrong: the frame was damaged on its way.')
for name in ('lambdacast_lcores_busy_seconds_total', 'lambdacast_stages_received_packets_total',
             'lambdacast_fabric_sent_frames_total', 'lambdacast_groups_bytes_total',
             'lambdacast_wavelengths_frequency_hertz'):
    for line in (f'# HELP {name} ', f'# TYPE {name} ', f'\n{name}{{'):
        if line not in text:
            sys.exit(f'the exporter lacks {line!r}')
PYTHON
if [ -x "$promtool" ]; then
  "$promtool" check metrics <"$work_dir/metrics" >"$work_dir/out" 2>&1 ||
    fail "promtool: $(cat "$work_dir/out")"
else
  say "not checked by promtool: scripts/setup could not fetch it"
fi

echo quit >&9
ends "${children[-1]}" console 0
"$exporter" --listen 127.0.0.1:0 --file-prefix "$fabric" >"$work_dir/exporter.out" \
  2>"$work_dir/exporter.err" &
children+=("$!")
serving() { grep -q serving "$work_dir/exporter.out"; }
wait_for 20 serving || fail "the exporter does not start"
/usr/bin/python3 - "$(awk '{ print $2 }' "$work_dir/exporter.out")" <<'PYTHON' || fail "no 503"
import sys
import urllib.error
import urllib.request

try:
    urllib.request.urlopen(sys.argv[1], timeout=20)
except urllib.error.HTTPError as error:
    sys.exit(0 if error.code == 503 and b'\nlambdacast_up 0\n' in error.read() else 1)
sys.exit(1)
PYTHON
want console.out "verdict: every packet accounted for"
fabric_left=$(fabric_files)
[ -z "$fabric_left" ] || fail "left behind: $fabric_left"
say "console, telemetry and exporter agree"

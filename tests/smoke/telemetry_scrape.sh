#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The exporter at its limits: every form of --listen, DPDK's own places for the socket, 32 000 rows
# from one snapshot a table, and probes that say what is wrong.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

exporter=$source_dir/scripts/lambdacast-exporter
# Telemetry stands where systemd says.
export RUNTIME_DIRECTORY=$work_dir/runtime
mkdir -- "$RUNTIME_DIRECTORY"
socket=$RUNTIME_DIRECTORY/dpdk/$fabric/dpdk_telemetry.v2
groups=$(seq -s, 1 8000)
{
  endpoints "$fabric" 4 0 1 2 3 | sed '/^\[traffic\]/,/^rate_pps/d'
  printf '[endpoint_defaults]\ngroups = [%s]\n' "$groups"
  printf '[eal]\nargs = ["--no-huge", "--no-shconf", "-m", "768", "--file-prefix=%s"]\n' "$fabric"
} >"$work_dir/rack.toml"

# What --listen does not take is a mistake in usage, and the sentence says what it takes.
for wrong in ':99999' '127.0.0.1:99999' '::1:9477' '[::1:9477' '127.0.0.1' '[127.0.0.1]:1' ':x'; do
  run 2 "$exporter" --listen "$wrong"
  want err "error: argument --listen: "
  want err "is not allowed; allowed: "
  refuse err Traceback
done
# A port that another has is no mistake in usage.
run 1 "$exporter" --once --file-prefix "$fabric"
want err "no DPDK process answers at $socket"

start rack "$lambdacast" --config "$work_dir/rack.toml"
rack=${children[-1]}
wait_for 60 has rack.out "ICRC by" || fail "it does not run: $(cat "$work_dir/rack.err")"
wait_for 60 test -S "$socket" || fail "no socket at $socket"

# serve NAME LISTEN: the exporter's URL in $url.
serve() {
  start "$1" "$exporter" --listen "$2" --file-prefix "$fabric"
  wait_for 20 has "$1.out" serving || fail "$2: $(cat "$work_dir/$1.err")"
  url=$(awk '{ print $2 }' "$work_dir/$1.out")
}
serve v6 '[::1]:0'
case $url in 'http://[::1]:'*) ;; *) fail "not at [::1]: $url" ;; esac
v6=$url
serve v4 127.0.0.1:0
v4=$url
run 1 "$exporter" --listen "127.0.0.1:$(sed 's/.*:\([0-9]*\).*/\1/' <<<"$v4")"
want err "cannot listen at 127.0.0.1, port "
one_sentence err
serve both :0
both=${url##*:}

/usr/bin/python3 - "$v6" "$v4" "http://[::1]:$both" "http://127.0.0.1:$both" <<'PYTHON' ||
import sys
import time
import urllib.error
import urllib.request


def get(url, path):
    base = url.removesuffix('/metrics')
    try:
        with urllib.request.urlopen(base + path, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


for url in sys.argv[1:]:
    status, text = get(url, '/livez')
    if status != 200 or text != 'all 1 lcores move\n':
        sys.exit(f'{url}: livez {status} {text!r}')
    status, text = get(url, '/readyz')
    if status != 200 or text != '4 ports up, 0 endpoints in views\n':
        sys.exit(f'{url}: readyz {status} {text!r}')
    if get(url, '/nothing')[0] != 404:
        sys.exit(f'{url}: nothing is there')

begin = time.monotonic()
status, text = get(sys.argv[1], '/metrics')
rows = text.count('\nlambdacast_groups_packets_total{')
if status != 200 or rows != 32000 or '\nlambdacast_scrape_left_out 0\n' not in text:
    sys.exit(f'HTTP {status}, {rows} rows')
print(f'32 000 rows in {time.monotonic() - begin:.2f} s')
PYTHON
  fail "see above"

# A process that stands still is not alive.
kill -STOP "$rack"
/usr/bin/python3 - "$v4" <<'PYTHON' || { kill -CONT "$rack"; fail "see above"; }
import sys
import urllib.error
import urllib.request

for page in ('/livez', '/readyz'):
    try:
        urllib.request.urlopen(sys.argv[1].replace('/metrics', page), timeout=30)
        sys.exit(f'{page}: 200 of a stopped process')
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        if error.code != 503 or not ('answer' in text and text.endswith('\n')):
            sys.exit(f'{page}: {error.code} {text!r}')
PYTHON
kill -CONT "$rack"
kill -TERM "$rack"
ends "$rack" rack 0

# With membership an endpoint is ready in its view: two of three form none.
endpoints "$fabric" 3 0 1 | sed '/^\[traffic\]/,/^rate_pps/d' >"$work_dir/rack.toml"
cat >>"$work_dir/rack.toml" <<TOML
[endpoint_defaults.membership]
enabled = true
initial_nodes = 3
[eal]
args = ["--no-huge", "--no-shconf", "-m", "512", "--file-prefix=$fabric"]
TOML
start pair "$lambdacast" --config "$work_dir/rack.toml"
pair=${children[-1]}
wait_for 60 has pair.out "ICRC by" || fail "it does not run: $(cat "$work_dir/pair.err")"
answers() {
  /usr/bin/python3 - "$v4" "$1" "$2" "$3" <<'PYTHON'
import sys
import urllib.error
import urllib.request

url, page, code, text = sys.argv[1:]
try:
    answer = urllib.request.urlopen(url.replace('/metrics', page), timeout=30)
except urllib.error.HTTPError as error:
    answer = error
sys.exit(0 if answer.status == int(code) and answer.read().decode().strip() == text else 1)
PYTHON
}
wait_for 20 answers /readyz 503 "node0 is in no view: joining; node1 is in no view: joining" ||
  fail "it is ready, or does not say why not"
kill -TERM "$pair"
ends "$pair" pair 0
wait_for 20 answers /readyz 503 "no DPDK process answers at $socket: [Errno 2] No such file or \
directory" || fail "nobody is there, and that is not said"
left=$(fabric_files)
[ -z "$left" ] || fail "left behind: $left"
say "the exporter serves both families, 32 000 rows and probes"

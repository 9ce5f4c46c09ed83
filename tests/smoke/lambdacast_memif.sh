#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two lambdacast processes over memif, a driver without a kernel: they hear and find each other, and
# every packet is accounted for at both.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for role in server client; do
  [ "$role" = server ] && number=1 || number=2
  cat >"$work_dir/$role.toml" <<TOML
[[endpoint]]
name = "$role"
address = "10.77.0.$number"
port = "net_memif0,role=$role,socket=$work_dir/memif.sock,socket-abstract=no"
path_mtu = 1024
[traffic]
enabled = true
rate_pps = 1000
[[lcore]]
id = 0
idle = "sleep"
TOML
done
start server "$lambdacast" --config "$work_dir/server.toml" --resolve 10.77.0.2
server=${children[-1]}
wait_for 20 has server.out "server: answers ARP" || fail "$(cat "$work_dir/server.err")"
start client "$lambdacast" --config "$work_dir/client.toml" --resolve 10.77.0.1
client=${children[-1]}
wait_for 20 has client.out "client: 10.77.0.1 is at " ||
  fail "no neighbor: $(cat "$work_dir/client.out")"
kill -INT "$client"
ends "$client" client 0
kill -INT "$server"
ends "$server" server 0
for role in server client; do
  want "$role.out" "verdict: every packet accounted for"
  grep -Eq "from endpoints elsewhere: [1-9]" "$work_dir/$role.out" ||
    fail "$role hears nothing: $(cat "$work_dir/$role.out")"
done
say "$(grep -h "is at" "$work_dir/client.out")"

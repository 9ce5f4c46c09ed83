#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The peers of tests/bench/bench-vs-peers: each that is installed gets to its receiver what it
# sends, at a low rate between two network namespaces; and again, repaired, when one packet in a
# hundred is lost. No time is judged.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

[ "$(id -u)" -eq 0 ] || skip "needs root for network namespaces"
sender=lcsmoke$$s receiver=lcsmoke$$r
at_end() {
  ip netns del "$sender" 2>/dev/null || true
  ip netns del "$receiver" 2>/dev/null || true
}
ip netns add "$sender" 2>/dev/null || skip "no network namespaces to be had here"
ip netns add "$receiver"
ip link add peer0 netns "$sender" type veth peer name peer1 netns "$receiver" 2>/dev/null ||
  skip "no veth devices here"
for end in "$sender 0 1" "$receiver 1 2"; do
  read -r namespace number host <<<"$end"
  ip -n "$namespace" addr add "10.78.0.$host/24" dev "peer$number"
  ip -n "$namespace" link set "peer$number" up
  ip -n "$namespace" link set lo up
done

group=239.192.77.1
# holds PEER EXPRESSION: of r, what its receiver reported
holds() {
  /usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval(sys.argv[2]) else f"not {sys.argv[2]}: {r}")' "$work_dir/$1.out" "$2" ||
    fail "$1: $2"
}

# job PEER OPTION...: 1000 messages in a second, from one namespace to the other
job() {
  local peer=$1 program=$build_dir/tests/bench/peers/peer_$1
  shift
  : >"$work_dir/$peer.err"  # of the job before
  start "$peer" ip netns exec "$receiver" timeout 60 "$program" receive --interface peer1 \
    --group "$group" --bytes 256 "$@"
  local hearing=${children[-1]}
  wait_for 10 has "$peer.err" ready || fail "$peer: no receiver: $(cat "$work_dir/$peer.err")"
  start "$peer.sender" ip netns exec "$sender" timeout 60 "$program" send --interface peer0 \
    --group "$group" --bytes 256 --rate 1000 --seconds 0 --count 1000 --linger 30 "$@"
  ends "$hearing" "$peer" 0
  kill "${children[-1]}" 2>/dev/null || true
  holds "$peer" "r['peer'] == '$peer' and r['sent'] == 1000 and r['strange'] == 0 and r['ended']"
  holds "$peer" "r['min_ns'] <= r['p50_ns'] <= r['p99_ns'] <= r['p999_ns'] <= r['max_ns']"
  holds "$peer" "r['received'] + r['lost'] == r['sent'] and r['repeated'] == 0"
}

peers=()
for peer in udp pgm norm; do
  if [ -x "$build_dir/tests/bench/peers/peer_$peer" ]; then
    peers+=("$peer")
  else
    say "skipped: $peer is not installed (apt-get install lib$peer-dev)"
  fi
done
for peer in "${peers[@]}"; do
  job "$peer"
  holds "$peer" "r['received'] == 1000"
  holds "$peer" "r['out_of_order'] == 0"
  job "$peer" --settings tuned
  holds "$peer" "r['received'] == 1000"
  if [ "$peer" = udp ]; then
    job udp --settings gso
    holds udp "r['received'] == 1000"
  else
    run 2 "$build_dir/tests/bench/peers/peer_$peer" receive --interface lo --settings gso
  fi
  [ "$peer" = udp ] || reliable=$peer
done

# One in fifty is lost: the sockets show it, and what repairs has them all.
if command -v nft >/dev/null; then
  ip netns exec "$receiver" nft -f - <<NFT
table ip loss { chain in { type filter hook input priority 0
  ip daddr $group numgen inc mod 50 == 49 drop; }; }
NFT
  job udp
  holds udp "15 <= r['lost'] <= 25"
  for peer in "${peers[@]:1}"; do
    job "$peer" --settings tuned
    holds "$peer" "r['received'] == 1000 and r['out_of_order'] == 0"
  done
else
  say "skipped: loss, for nft is not installed (apt-get install nftables)"
fi

# And the comparison itself, of one case, and of one in total order over af_packet: all have
# figures, and nothing is left behind.
run_all() {
  timeout 100 /usr/bin/python3 "$source_dir/tests/bench/bench-vs-peers" --build "$build_dir" \
    --rounds 1 --case "64 bytes, flat out, 0 %" --contender udp --contender lambdacast \
    --case "2 nodes, 64 bytes, flat out" --contender lambdacast-order-veth "$@" \
    >"$work_dir/out" 2>"$work_dir/err" || [ $? -eq 1 ]  # a ratio that is missed is no failure here
}
run_all --json - || fail "bench-vs-peers: $(cat "$work_dir/err")"
mv "$work_dir/out" "$work_dir/bench.out"
holds bench "list(r['results']) == ['64 bytes, flat out, 0 % loss'] and not r['failed']"
holds bench "all(c['rate'] > 0 for case in r['results'].values() for c in case.values())"
holds bench "r['criteria'][0]['ours'][0] == 'lambdacast' and r['criteria'][0]['ratio'] > 0"
holds bench "len(r['order']) == 1"
order="list(r['order'].values())[0]['lambdacast-order-veth']"
holds bench "${order}['sent'] > 0 and ${order}['lost'] == 0 and ${order}['collapsed'] == 0"
for owner in $(ip netns list | sed -nE 's/^lc(peer|order)([0-9]+)[srn].*/\2/p' | sort -u); do
  kill -0 "$owner" 2>/dev/null || fail "namespaces of $owner are left"
done

for wrong in "--bytes 8" "--interface nonesuch0" "--seconds 0" "--settings wild" "listen"; do
  # shellcheck disable=SC2086
  run 2 "$build_dir/tests/bench/peers/peer_udp" receive --interface lo $wrong
done
say "${peers[*]}: all that was sent arrived${reliable:+, with loss as well}"

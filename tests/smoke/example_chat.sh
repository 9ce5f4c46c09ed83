#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The chat of the guide, three processes: all see the same lines in one order, who comes last gets
# those before it, and who is killed is missed by the others.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/example.bash"

take_part 0 chat room anna
take_part 1 chat room bert
for number in 0 1; do shown "$number" "* 2 take part"; done
type_in 0 "good morning"
for number in 0 1; do shown "$number" "anna: good morning"; done
type_in 1 "good morning, anna"
for number in 0 1; do shown "$number" "bert: good morning, anna"; done

take_part 2 chat room carl
shown 2 "* 3 take part"
head -n 2 "$work_dir/2.out" >"$work_dir/history"
printf 'anna: good morning\nbert: good morning, anna\n' | cmp - "$work_dir/history" ||
  fail "carl has missed something: $(cat "$work_dir/2.out")"
type_in 2 "what have I missed?"
for number in 0 1 2; do shown "$number" "carl: what have I missed?"; done

kill -KILL "${children[2]}"
wait "${children[2]}" 2>/dev/null || true
shown 0 "* 2 take part" 2
type_in 0 "he is gone"
shown 1 "anna: he is gone"
for number in 0 1; do
  grep -v '^\*' "$work_dir/$number.out" >"$work_dir/$number.lines"
done
cmp "$work_dir/0.lines" "$work_dir/1.lines" || fail "two orders"
end_input 0
shown 1 "* 1 take part"
end_input 1
for number in 0 1; do
  ends "${children[$number]}" "$number" 0
  shown "$number" "* out: left"
done
run 2 "$build_dir/examples/chat"
want err "usage: chat CONFIG GROUP NICK"
sed '/membership/,$d' "$work_dir/0.toml" >"$work_dir/plain.toml"
run 3 "$build_dir/examples/chat" "$work_dir/plain.toml" room anna
want err "enabled = true in its [endpoint.membership] lets it"
no_leftovers

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `meson install` into a directory of its own: exactly these files; the programs run, also with the
# installed driver beside the one inside them; an example outside the tree is built by pkg-config
# and runs; manual pages have no warnings; completions complete.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# EAL refuses drivers below a directory that anyone may write to, as the temporary one is.
root=$(mktemp -d "$build_dir/install.XXXXXX")
at_end() { rm -rf -- "$root"; }
option() {
  meson introspect --buildoptions "$build_dir" | /usr/bin/python3 -c "
import json, sys
print(next(o['value'] for o in json.load(sys.stdin) if o['name'] == sys.argv[1]))" "$1"
}
limited env DESTDIR="$root" meson install -C "$build_dir" --no-rebuild >"$work_dir/log" 2>&1 ||
  fail "meson install: $(cat "$work_dir/log")"

prefix=$(option prefix)
libdir=$prefix/$(option libdir)
version=$("$lambdacast" --version)
version=${version#lambdacast }
driver_dir=$(dirname -- "$(find "$root" -name librte_net_odbss.so -printf '/%P')")
share=$prefix/share
doc=$share/doc/lambdacast

files() {
  local name
  for name in lambdacast lambdacast-bench lambdacast-exporter lambdacast-sim \
    lambdacastctl; do
    echo "$prefix/bin/$name"
    echo "$share/man/man1/$name.1"
    echo "$share/bash-completion/completions/$name.bash"
  done
  for name in call group names qos runtime text version; do
    echo "$prefix/include/lambdacast/$name.h"
  done
  for name in "" .0 ".$version"; do echo "$libdir/liblambdacast.so$name"; done
  echo "$libdir/pkgconfig/lambdacast.pc"
  echo "$driver_dir/librte_net_odbss.so"
  if [ -e "$build_dir/drivers/net/verbs/librte_net_verbs.so" ]; then
    echo "$driver_dir/librte_net_verbs.so"
    echo "$libdir/lambdacast/liblambdacast-verbs.so"
    echo "$libdir/lambdacast/liblambdacast-verbs-bridge.so"
  fi
  for name in README.md CHANGELOG.md; do echo "$doc/$name"; done
  (cd "$source_dir" && find config examples -type f ! -name meson.build -printf "$doc/%p\n" &&
    find doc -type f ! -path 'doc/models/*' -printf "$doc/%p\n")
  for name in lambdacast@ lambdacast-exporter; do
    echo "$prefix/lib/systemd/system/$name.service"
  done
  echo "$prefix/lib/sysusers.d/lambdacast.conf"
  echo "$share/lambdacast/grafana/lambdacast.json"
  echo "$share/lambdacast/prometheus/lambdacast.rules.yml"
  echo "$share/lambdacast/wireshark/lambdacast.lua"
}
files | sort >"$work_dir/wanted"
find "$root" ! -type d -printf '/%P\n' | sort >"$work_dir/installed"
diff "$work_dir/wanted" "$work_dir/installed" >&2 || fail "(<) is missing or (>) is not wanted"

# Libraries: their names, and of ours for applications the public symbols only.
soname() { readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p'; }
[ "$(soname "$root$libdir/liblambdacast.so")" = liblambdacast.so.0 ] || fail "wrong soname"
nm -DC --defined-only "$root$libdir/liblambdacast.so" | cut -d' ' -f3- >"$work_dir/symbols"
want symbols "lambdacast::Runtime::open("
classes='Application|Client|Polled|Runtime|shown'
public="((vtable|typeinfo|typeinfo name) for )?lambdacast::($classes)"
! grep -vE "^(LAMBDACAST_0\$|$public)" "$work_dir/symbols" >&2 ||
  fail "more is visible than the public headers declare"

# Programs.
endpoints "$fabric" 2 0 1 >"$work_dir/rack.toml"
run 0 "$root$prefix/bin/lambdacast" --config "$work_dir/rack.toml" --run-for 0.5
want out "verdict: every packet accounted for"
run 0 "$root$prefix/bin/lambdacast" -d "$root$driver_dir/librte_net_odbss.so" -- \
  --config "$work_dir/rack.toml" --run-for 0.5
want out "verdict: every packet accounted for"
run 0 "$root$prefix/bin/lambdacast-exporter" --version
[ "$(cat "$work_dir/out")" = "lambdacast $version" ] || fail "the exporter: $(cat "$work_dir/out")"

# An application: from its installed source, outside the tree.
mkdir "$work_dir/application"
cp -- "$root$doc/examples/"* "$work_dir/application"
flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root$libdir/pkgconfig \
  pkg-config --cflags --libs lambdacast) || fail "pkg-config does not know lambdacast"
for name in ask chat lock_service replicated_map; do
  # shellcheck disable=SC2086
  (cd "$work_dir/application" &&
    g++ -std=c++20 -Wall -Wextra -Werror "$name.cc" -o "$name" $flags) ||
    fail "$name is not built outside the tree"
done
{
  endpoints "$fabric" 2 0 | sed '/^\[traffic\]/,/^rate_pps/d'
  echo "membership = { enabled = true, initial_nodes = 1 }"
} >"$work_dir/node.toml"
code=0
printf 'put colour green\nget colour\nmembers\n' |
  limited env LD_LIBRARY_PATH="$root$libdir" "$work_dir/application/replicated_map" \
    "$work_dir/node.toml" things >"$work_dir/out" 2>"$work_dir/err" || code=$?
[ "$code" -eq 0 ] || fail "replicated_map ended with $code: $(cat "$work_dir/err")"
printf 'stored\ncolour = green\n1 members\n' | cmp - "$work_dir/out" ||
  fail "replicated_map says: $(cat "$work_dir/out")"
run 3 env LD_LIBRARY_PATH="$root$libdir" "$work_dir/application/chat" "$work_dir/rack.toml" a b
want err "enabled = true in its [endpoint.membership] lets it"

# The preloaded library finds its bridge beside it.
verbs=$root$libdir/lambdacast/liblambdacast-verbs.so
if [ -e "$verbs" ] && command -v ibv_devices >/dev/null; then
  run 0 env LD_PRELOAD="$verbs" \
    LAMBDACAST_FABRIC="$fabric" ibv_devices
  want out "lambdacast0"
fi

if command -v man >/dev/null; then
  for page in "$root$share/man/man1/"*; do
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >"$work_dir/out" 2>"$work_dir/err" ||
      fail "man refuses $page"
    [ ! -s "$work_dir/err" ] || fail "$page: $(cat "$work_dir/err")"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS "SEE ALSO"; do
      grep -qx "$section" "$work_dir/out" || fail "$page has no section $section"
    done
  done
else
  say "there is no man: the pages are not looked at"
fi

# completes WORDS -- WANTED...: what the last of the words may become.
completes() {
  local line=() wanted
  while [ "$1" != -- ]; do
    line+=("$1")
    shift
  done
  shift
  wanted=$(printf '%s\n' "$@")
  # shellcheck disable=SC1090
  found=$(
    . "$root$share/bash-completion/completions/${line[0]}.bash"
    COMP_WORDS=("${line[@]}")
    COMP_CWORD=$((${#line[@]} - 1))
    "_${line[0]//-/_}"
    printf '%s\n' "${COMPREPLY[@]}"
  )
  [ "$found" = "$wanted" ] || fail "${line[*]} becomes: $found; not: $wanted"
}
completes lambdacast --conf -- --config
completes lambdacast --capture- -- --capture-endpoint --capture-snap
completes lambdacast --config "$work_dir/rack" -- "$work_dir/rack.toml"
completes lambdacast --run-for 1 -- ""
completes lambdacast-bench lo -- loss
completes lambdacast-bench loss --qos so -- source
completes lambdacast-sim replay --tr -- --trace
completes lambdacastctl --st -- --stop-at-error
completes lambdacastctl --socket "$work_dir/rack" -- "$work_dir/rack.toml"
completes lambdacast-exporter --file -- --file-prefix
no_leftovers

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every program says the version of the project's meson.build: alone, without a configuration or a
# subcommand.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

version=$(sed -n "s/^ *version: '\([0-9.]*\)',$/\1/p" "$source_dir/meson.build")
[ -n "$version" ] || fail "meson.build has no version"
packaged=$(sed -n '1s/^lambdacast (\(.*\)) .*/\1/p' "$source_dir/debian/changelog")
[ "$packaged" = "$version" ] || fail "debian/changelog has version $packaged, meson.build $version"

for program in "$lambdacast" "$build_dir/app/lambdacast-sim/lambdacast-sim" "$bench" \
  "$build_dir/app/lambdacastctl/lambdacastctl" \
  "$build_dir/scripts/lambdacast-exporter"; do
  run 0 "$program" --version
  [ "$(cat "$work_dir/out")" = "lambdacast $version" ] ||
    fail "$program --version says: $(cat "$work_dir/out")"
  [ ! -s "$work_dir/err" ] || fail "$program --version complains: $(cat "$work_dir/err")"
  run 0 "$program" --help
  want out "--version"
done
run 0 "$lambdacast" --no-such-eal-option -- --version   # EAL is not started

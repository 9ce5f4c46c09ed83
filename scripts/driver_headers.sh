# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Fetches DPDK's driver headers: sourced behind lib.sh by scripts/setup and scripts/package. What is
# in work_dir goes with the script.
set -euo pipefail

driver_headers=(drivers/bus/vdev/bus_vdev_driver.h lib/eal/include/bus_driver.h
  lib/eal/include/dev_driver.h lib/ethdev/ethdev_driver.h lib/ethdev/ethdev_vdev.h)
work_dir=
trap '[ -z "$work_dir" ] || rm -rf -- "$work_dir"' EXIT

# The source entries of the machine's own apt configuration, as deb-src, in a private directory.
write_source_lists() {
  local target=$1 file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$target/$(basename -- "$file")"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] || continue
    sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$target/$(basename -- "$file")"
  done
}

# Debian does not package five headers that a driver outside DPDK's tree needs: they come from the
# source package of exactly the installed version. apt's system-wide state is not touched.
fetch_driver_headers() {
  local target=$root_dir/build/driver-headers version header complete=yes
  version=$(dpkg-query -W -f='${source:Version}' libdpdk-dev)
  for header in "${driver_headers[@]}"; do
    [ -s "$target/$(basename -- "$header")" ] || complete=no
  done
  if [ "$complete" = yes ] && [ "$(cat "$target/VERSION" 2>/dev/null || true)" = "$version" ]; then
    return 0
  fi
  say "fetching DPDK $version driver headers from its source package into build/driver-headers"
  mkdir -p "$root_dir/build"
  work_dir=$(mktemp -d "$root_dir/build/apt-source.XXXXXX")
  mkdir -p "$work_dir"/{parts,lists/partial,cache/archives/partial,source,headers}
  write_source_lists "$work_dir/parts"
  local apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work_dir/parts"
    -o "Dir::State::lists=$work_dir/lists" -o "Dir::Cache=$work_dir/cache"
    -o APT::Sandbox::User=root -o Acquire::Languages=none)
  local log=$root_dir/build/driver-headers.log
  # A third-party list without sources fails the update and is no reason to stop.
  "${apt[@]}" update </dev/null >"$log" 2>&1 || true
  (cd "$work_dir/source" &&
    "${apt[@]}" source --download-only "dpdk=$version" </dev/null >>"$log" 2>&1) ||
    fail 4 "no source package of dpdk $version, see build/driver-headers.log; if the archive has" \
      "a newer one, mend with: apt-get update && apt-get install dpdk dpdk-dev libdpdk-dev"
  local archive
  archive=$(find "$work_dir/source" -name 'dpdk_*.orig.tar.*' ! -name '*.asc' -print -quit)
  [ -n "$archive" ] ||
    fail 4 "no orig archive in dpdk's source package, see build/driver-headers.log"
  tar -xf "$archive" -C "$work_dir/headers" --strip-components=1 \
    --wildcards "${driver_headers[@]/#/*/}" ||
    fail 4 "dpdk $version lacks a driver header; install Debian 12's libdpdk-dev"
  rm -rf -- "$target"
  mkdir -p "$target"
  for header in "${driver_headers[@]}"; do
    install -m 0644 "$work_dir/headers/$header" "$target/"
  done
  printf '%s\n' "$version" >"$target/VERSION"
  rm -rf -- "$work_dir"
  work_dir=
}

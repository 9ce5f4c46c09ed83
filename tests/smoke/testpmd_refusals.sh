#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What net_odbss refuses, as stock testpmd shows it: one sentence, an exit code, nothing left.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/testpmd.bash"

# refused SENTENCE VDEV. EAL goes on without a device that it cannot probe: testpmd fails because it
# is told to use one port.
refused() {
  run 1 dpdk-testpmd "${eal[@]}" "${memory[@]}" --vdev "$2" -- -i --nb-ports=1
  cat "$work_dir/out" "$work_dir/err" >"$work_dir/all"
  want all "net_odbss: net_odbss0: $1"
  [ "$(grep -c '^net_odbss: ' "$work_dir/all")" -eq 1 ] || fail "more than one sentence: $2"
}

testpmd owner txonly "net_odbss0,fabric=$fabric,wavelengths=2,slots=1024,wavelength=C21"
refused "wavelength=C21: wavelength 0 of fabric $fabric already has a transmitter" \
  "net_odbss0,fabric=$fabric,wavelength=C21"
refused "fabric $fabric has slots=1024, this port asks for slots=2048; use the same value or" \
  "net_odbss0,fabric=$fabric,wavelength=C22,slots=2048"
refused "fabric $fabric has wavelengths=2, this port asks for wavelengths=40; use the same value" \
  "net_odbss0,fabric=$fabric,wavelength=C22,wavelengths=40"
refused "wavelength=C23: wavelength 2 is not on fabric $fabric, which has 2" \
  "net_odbss0,fabric=$fabric,wavelength=C23"
# Another layout version, as another release would have it.
printf '\377' | dd of="/dev/shm/odbss.$fabric" bs=1 seek=8 conv=notrunc status=none
refused "fabric $fabric has layout version 255, this program speaks version 3; end the programs" \
  "net_odbss0,fabric=$fabric,wavelength=C22"
printf '\002' | dd of="/dev/shm/odbss.$fabric" bs=1 seek=8 conv=notrunc status=none
quit owner
no_leftovers

refused "slots=1000 is not allowed; allowed: a power of two from 64 to 1048576" \
  "net_odbss0,fabric=$fabric,wavelength=C21,slots=1000"
refused "wavelength=C99 is not allowed; allowed: C21 to C60, H21 to H60 on the 50GHz grid" \
  "net_odbss0,fabric=$fabric,wavelength=C99"
refused "wavelength is missing; allowed: C21 to C60, H21 to H60 on the 50GHz grid" \
  "net_odbss0,fabric=$fabric"
no_leftovers

# A secondary process finds the primary's port; it may not have it. That needs EAL's shared files.
if [ "${memory[0]}" = --in-memory ]; then
  memory=(--file-prefix "$fabric")
  testpmd primary txonly "net_odbss0,fabric=$fabric,wavelength=C21"
  code=0
  limited dpdk-testpmd "${eal[@]}" "${memory[@]}" --proc-type=secondary -- -i --nb-ports=1 \
    >"$work_dir/out" 2>&1 </dev/null || code=$?
  [ "$code" -ne 0 ] || fail "a secondary process started"
  want out "net_odbss: net_odbss0: a secondary process cannot use this port; attach to the fabric"
  quit primary
  no_leftovers
fi

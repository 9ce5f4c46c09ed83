#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A verbs program that waits for an event on an idle fabric leaves the processor alone: how often
# its threads wake up is bounded by the pauses between their looks, however busy the machine is.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/../smoke/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/verbs.bash"

# In a silence a thread pauses for 4 ms, so that it wakes up 250 times a second.
first=("${verbs[@]}")
second=("${verbs[@]}")
quiet_while_the_other_is_stopped 400 127.0.0.1

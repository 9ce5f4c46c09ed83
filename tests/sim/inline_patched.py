#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the source of a mutant: the simulator's node (lib/sim/multicast/sim_node.cc) with the
bodies of one stage patched. Usage: inline_patched.py LIB STAGE PATCH OUTPUT, STAGE as in
lib/node/STAGE_impl.h."""
import os
import subprocess
import sys
import tempfile


def text(*parts):
    with open(os.path.join(*parts), encoding='utf-8') as stream:
        return stream.read()


def patched(path, patch):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'patched.h')
        command = ['patch', '--silent', '--fuzz=0', f'--output={out}', path, patch]
        subprocess.run(command, check=True)
        return text(out)


def main(lib, stage, patch, output):
    name = f'node/{stage}_impl.h'
    bodies = patched(os.path.join(lib, name), patch).replace('#pragma once', '')
    node = text(lib, 'node', 'node_impl.h').replace('#pragma once', '')
    line = f'#include "{name}"\n'
    if line not in node:
        sys.exit(f'{name} is not among the bodies of a node')
    instances = text(lib, 'sim', 'multicast', 'sim_node.cc')
    instances = instances.replace('#include "node/node_impl.h"\n', '')
    with open(output, 'w', encoding='utf-8') as stream:
        stream.write(bodies + node.replace(line, '') + instances)


if __name__ == '__main__':
    main(*sys.argv[1:])

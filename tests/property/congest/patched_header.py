#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the header of a mutant, in a folder that the compiler searches first. Usage:
patched_header.py LIB PATCH FOLDER STAMP. The patch names the header as lib/congest/NAME.h, and
STAMP is an empty header that stands for it among the sources."""
import os
import re
import subprocess
import sys


def main(lib, patch, folder, stamp):
    with open(patch, encoding='utf-8') as stream:
        name = re.search(r'^--- a/lib/(congest/\w+\.h)$', stream.read(), re.M)[1]
    os.makedirs(os.path.join(folder, 'congest'), exist_ok=True)
    subprocess.run(['patch', '--silent', '--fuzz=0', f'--output={os.path.join(folder, name)}',
                    os.path.join(lib, name), patch], check=True)
    with open(stamp, 'w', encoding='utf-8') as stream:
        stream.write('#pragma once\n')


if __name__ == '__main__':
    main(*sys.argv[1:])

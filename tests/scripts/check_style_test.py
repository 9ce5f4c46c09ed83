#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each tool that scripts/dev/check_style.py calls, with a tree that it complains about."""
import os
import shutil
import unittest

from sample_tree import CheckerTest, ROOT
import check_style

STYLE = '.clang-format'
SHELL = '#!/bin/bash\n'


class CheckStyleTest(CheckerTest):
    checker = check_style

    @classmethod
    def setUpClass(cls):
        missing = [tool for tool in ('clang-format', 'shellcheck', 'codespell')
                   if shutil.which(tool) is None]
        assert not missing, f'scripts/setup installs {missing}'
        with open(os.path.join(ROOT, STYLE), encoding='utf-8') as stream:
            cls.common = {STYLE: stream.read(), 'a.sh': f'{SHELL}true\n', 'a.cc': 'int a;\n'}

    def test_code_is_formatted(self):
        self.accept({'b.h': 'int f(int a);\n'})
        self.reject({'b.h': 'int f( int a);\n'}, 'b.h:1', 'clang-format')

    def test_shell_scripts_with_or_without_an_ending(self):
        self.accept({'b': f'{SHELL}rm -- "$1"\n'})
        self.reject({'b': f'{SHELL}\ncat $(find .)\n'}, 'b:3', 'SC2046')
        self.reject({'b.sh': f'{SHELL}\ncat $(find .)\n'}, 'b.sh:3', 'SC2046')

    def test_words(self):
        self.accept({'README.md': 'The inflight limit.\n'})
        self.reject({'README.md': '\nThe rec' 'ieved frame.\n'}, 'README.md:2', 'received')
        self.reject({'b.cc': '// rec' 'ieved\n'}, 'b.cc:1', 'received')

    def test_data_is_not_looked_at(self):
        self.accept({'tests/vectors/data/a': 'rec' 'ieved\n', 'a.bin': b'\0rec' b'ieved'})


if __name__ == '__main__':
    unittest.main()

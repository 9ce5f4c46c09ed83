# SPDX-License-Identifier: BSD-3-Clause
"""Sample trees for the checkers' tests: files written to a directory that goes with the test."""
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'scripts', 'dev'))
sys.dont_write_bytecode = True


class CheckerTest(unittest.TestCase):
    checker = None       # the module under test
    common = {}          # files that every sample tree has

    def errors(self, files, executable=()):
        """The checker's errors on a tree of `files`, {path: text}."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**self.common, **files}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, 'wb') as stream:
                    stream.write(text if isinstance(text, bytes) else text.encode())
                os.chmod(full, 0o755 if path in executable else 0o644)
            found, checked = self.checker.check(root)
            self.assertGreater(checked, 0)
            return found

    def accept(self, files, executable=()):
        self.assertEqual(self.errors(files, executable), [])

    def reject(self, files, where, what, executable=()):
        """Exactly one error, at `where` ('file:line'), that mentions `what`."""
        found = self.errors(files, executable)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(where + ': '), found)
        self.assertIn(what, found[0])

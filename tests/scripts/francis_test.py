#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/francis makes of rows: a made-up simulator."""
import importlib.machinery
import importlib.util
import os
import tempfile
import unittest
from unittest import mock

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts/francis')


def load(path):
    loader = importlib.machinery.SourceFileLoader('francis', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


francis = load(PATH)


def row(scheme, fast, full, **more):
    return {'graph': 'fat-tree:64', 'scheme': scheme, 'medium': 'A', 'budget_bps': 100_000_000,
            'failures': 1, 'fast_us_mean': fast, 'fast_us_p99': fast, 'full_us_mean': full,
            'full_us_p99': full, 'peak_epsilon_ns': 90.0, 'seeds': 3, 'height': 4.0,
            'frames': 10.0, **more}


class Page(unittest.TestCase):
    def test_table_4__expect_printed_published_and_ours_beside_the_target(self):
        results = {'table4': [row('published', 90, 240), row('ours', 40, 300)]}
        text = francis.table4(results)
        self.assertIn('| 100 | 1 | fast | 186.7 | 90.0 | 90.0 | 40.0 | 40.0 | 149 | reached | 3 |',
                      text)
        self.assertIn('| 100 | 1 | full | 359.5 | 240.0 | 240.0 | 300.0 | 300.0 | 288 | short |',
                      text)

    def test_what_is_not_measured_or_not_printed__expect_empty_cells(self):
        text = francis.table4({'table4': [row('ours', 40, 100)]})
        self.assertIn('| 10 | 2 | full | 1649.0 |  |  |  |  | 1319 |  |  |', text)
        self.assertIn('| ptp | 1 |  | 1254.0 |  |  |  |  |  |', francis.baselines({}))

    def test_parts_that_are_missing__expect_their_tables_left_out(self):
        text = francis.page({'links': [row('ours', 40, 100)]})
        self.assertIn('## Links that fail', text)
        self.assertNotIn('## Model B', text)

    def test_kept_rows__expect_them_not_measured_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'links.json'), 'w', encoding='utf-8') as stream:
                stream.write('[]')
            out = os.path.join(folder, 'page.md')
            command = ['francis', '--keep', folder, '--part', 'links', '--out', out]
            with mock.patch('sys.argv', command), mock.patch.object(francis, 'measure') as measured:
                francis.main()
            measured.assert_not_called()
            self.assertTrue(os.path.exists(out))


if __name__ == '__main__':
    unittest.main()

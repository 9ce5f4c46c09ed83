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

    def test_table_6__expect_printed_published_and_ours_beside_the_target(self):
        rows = [row('published', 470, 4900, groups=1000, links=12.6),
                row('ours', 236, 1700, groups=1000, links=9.0)]
        text = francis.page({'table6': rows})
        self.assertIn('| 1 | fast | 411.5 | 3.4 ms | 470.0 | 236.0 | 236.0 | 329 | reached | '
                      '1000 | 3 |', text)
        self.assertIn('| 1 | full | 2067.0 | 25 to 100 ms | 4900.0 | 1700.0 | 1700.0 | 1654 | '
                      'short |', text)
        self.assertIn('| 2 | fast | 563.8 |  |  |  |  | 451 |  |  |  |', text)
        self.assertIn('| fat-tree:64 | ours | 1 | 1000 | 236.0 | 236.0 | 1700.0 | 1700.0 | 10 | '
                      '9.0 | 3 |', text)

    def test_course_of_a_repair__expect_rates_and_how_long(self):
        course = row('ours', 1, 2, bin_us=50.0, busiest_bits=[500, 500, 5000, 2500, 500])
        text = francis.page({'mending_course': [course]})
        self.assertIn('| ours | 100 | 10.0 | 100.0 | 75.0 | 100.0 |', text)

    def test_approximate_cover__expect_ratios_of_draws_with_students_interval(self):
        def cover(algorithm, each):
            return {'graph': 'fat-tree:4', 'algorithm': algorithm, 'rtts_mean': 10.0,
                    'messages_per_node': 5.0, 'cost_mean': 4.0, 'seeds': 2, 'each': each}
        text = francis.page({'figure9': [
            cover('cover', [[10, 5, 4, 7], [20, 5, 4, 7]]),
            cover('cover-approximate', [[11, 5, 4, 6], [18, 5, 4, 9]])]})
        self.assertIn('## Figure 9', text)
        self.assertRegex(text, r'\| 1\.0000 \+- \d+\.\d+ \| 5\.0 ')
        self.assertIn('-1 ... +2', text)

    def test_students_interval__expect_the_quantiles_of_the_table(self):
        # Deviation 1 and four degrees of freedom: 2.776; 99 degrees: 1.984.
        five = [-1.2649110640673518, -0.6324555320336759, 0, 0.6324555320336759, 1.2649110640673518]
        self.assertAlmostEqual(francis.francis_congest.student(five) * 5**0.5, 2.776, delta=0.03)
        hundred = [(-1)**i * 0.99498743710662 for i in range(100)]
        self.assertAlmostEqual(francis.francis_congest.student(hundred) * 10, 1.984, delta=0.002)

    def test_graphs_of_providers__expect_files_from_a_folder_or_drawn_ones(self):
        command, arguments = francis.parts(10, 'zoo')['figure12']
        self.assertEqual(command, 'congest')
        self.assertIn('gml:zoo/Kdl.gml', arguments)
        self.assertIn('wan:754,895,58,7', francis.parts(10)['figure12'][1])

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

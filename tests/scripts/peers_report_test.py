#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What bench-vs-peers makes of its runs: tests/bench/peers_report.py on made-up figures."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../bench'))
import peers_report as report  # noqa: E402

FLAT = report.case_name(64, 'flat out', 0)
PACED = report.case_name(64, 'paced', 0)
ORDER_FLAT = report.order_case_name(3, 'flat out')
ORDER_PACED = report.order_case_name(3, 'paced')
LOSSY = report.case_name(1024, 'paced', 0.01)


def peer(**changes):
    return {'messages_per_second': 1000.0, 'sent': 100, 'received': 100, 'lost': 0, 'ended': True,
            'p50_ns': 1000, 'p99_ns': 2000, 'p999_ns': 3000, 'max_ns': 4000, **changes}


def of(**figures):
    return {'rate': 1.0, **figures}


class Samples(unittest.TestCase):
    def test_of_a_peer(self):
        sample = report.sample_of_peer(peer(lost=3))
        self.assertEqual((sample['rate'], sample['lost'], sample['p999_ns']), (1000.0, 3, 3000))
        deaf = report.sample_of_peer(peer(received=0, ended=False))
        self.assertNotIn('p50_ns', deaf)
        self.assertFalse(deaf['ended'])

    def test_of_lambdacast(self):
        sample = report.sample_of_throughput(
            {'messages_per_second': 5.0, 'total_sent_messages': 9, 'lost_messages': 2})
        self.assertEqual((sample['rate'], sample['sent'], sample['lost']), (5.0, 9, 2))
        sample = report.sample_of_latency(
            {'rate': 7, 'sent': 8, 'lost': 0, 'p50_ns': 1, 'p99_ns': 2, 'p999_ns': 3, 'max_ns': 4})
        self.assertEqual((sample['p50_ns'], sample['max_ns']), (1, 4))

    def test_of_members(self):
        sample = report.sample_of_members(
            peer(p50_ns=7), [peer(messages_per_second=900.0, lost=2), peer(p50_ns=3000)])
        self.assertEqual((sample['rate'], sample['lost'], sample['p50_ns'], sample['own_p50_ns']),
                         (900.0, 2, 2000, 7))
        sample = report.sample_of_members(peer(), [peer(received=0, sent=0, ended=False)])
        self.assertFalse(sample['ended'])
        self.assertEqual(sample['sent'], 100)
        self.assertNotIn('p50_ns', sample)

    def test_medians_and_sums(self):
        samples = [report.sample_of_peer(peer(messages_per_second=rate, lost=1, p50_ns=10 * rate))
                   for rate in (1, 100, 7)]
        found = report.summary(samples)
        self.assertEqual((found['rate'], found['p50_ns'], found['lost'], found['sent'],
                          found['runs']), (7, 70, 3, 300, 3))
        self.assertIsNone(report.summary([]))

    def test_a_run_without_times_counts_as_collapsed_and_not_as_zero(self):
        samples = [report.sample_of_peer(peer()),
                   report.sample_of_peer(peer(received=0, ended=False, messages_per_second=0))]
        found = report.summary(samples)
        self.assertEqual((found['p50_ns'], found['collapsed'], found['rate']), (1000, 1, 500))


class Criteria(unittest.TestCase):
    def line(self, results, what, judged=True):
        found = [line for line in report.criteria(results)
                 if line['what'].startswith(what) and line['judged'] == judged]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_rate_is_of_the_best_on_either_side_tuned_or_not(self):
        results = {FLAT: {'udp': of(rate=5), 'norm': of(rate=3), 'norm-tuned': of(rate=20),
                          'lambdacast': of(rate=150), 'lambdacast-coalesced': of(rate=200),
                          'lambdacast-veth': of(rate=900), 'udp-gso': of(rate=400)}}
        line = self.line(results, 'message rate')
        self.assertEqual(line['ratio'], 10)
        self.assertTrue(line['reached'])
        beside = self.line(results, 'message rate', judged=False)
        self.assertEqual((beside['ratio'], beside['theirs'][0]), (0.5, 'udp-gso'))
        results[FLAT]['norm-tuned'] = of(rate=20.1)
        self.assertFalse(self.line(results, 'message rate')['reached'])

    def test_latency_is_of_the_quickest_peer_as_shipped(self):
        results = {PACED: {'udp': of(p50_ns=400), 'udp-tuned': of(p50_ns=40),
                           'pgm': of(p50_ns=1000), 'norm': of(p50_ns=5000),
                           'pgm-tuned': of(p50_ns=50), 'lambdacast': of(p50_ns=100),
                           'lambdacast-veth': of(p50_ns=1)}}
        reliable = self.line(results, 'median latency, of the best reliable')
        self.assertEqual((reliable['ratio'], reliable['theirs'][0]), (0.1, 'pgm'))
        self.assertTrue(reliable['reached'])
        udp = self.line(results, 'median latency, of raw UDP')
        self.assertEqual((udp['ratio'], udp['reached']), (0.25, True))
        self.assertTrue(report.passed(report.criteria(results)))
        # Beside, and not judged: the tuned ones.
        tuned = self.line(results, 'median latency, of the best reliable', judged=False)
        self.assertEqual((tuned['ratio'], tuned['reached']), (2, False))
        results[PACED]['lambdacast'] = of(p50_ns=101)
        self.assertFalse(report.passed(report.criteria(results)))

    def test_percentile_at_loss(self):
        results = {LOSSY: {'udp': of(p999_ns=1), 'pgm': of(p999_ns=3000), 'norm': of(p999_ns=9000),
                           'pgm-tuned': of(p999_ns=10), 'lambdacast': of(p999_ns=30)}}
        line = self.line(results, '99.9 %')
        self.assertEqual((line['ratio'], line['reached']), (0.01, True))

    def test_what_is_not_measured_is_not_reached(self):
        for results in ({FLAT: {'udp': of(rate=1)}}, {FLAT: {'lambdacast': of(rate=1)}},
                        {FLAT: {'udp': None, 'lambdacast': of(rate=1)}}):
            lines = report.criteria(results)
            self.assertFalse(report.passed(lines))
            self.assertIn('NOT MEASURED', report.verdict(lines[0]))
        self.assertFalse(report.passed([]))

    def test_total_order_is_against_corosync(self):
        results = {ORDER_FLAT: {'corosync': of(rate=5), 'corosync-tuned': of(rate=10),
                                'lambdacast-order': of(rate=200)},
                   ORDER_PACED: {'corosync': of(p50_ns=500), 'corosync-tuned': of(p50_ns=40),
                                 'lambdacast-order': of(p50_ns=51)}}
        lines = report.order_criteria(results)
        self.assertEqual([(line['ratio'], line['judged'], line['reached']) for line in lines],
                         [(20, True, True), (51 / 500, True, False), (51 / 40, False, False)])

    def test_a_run_of_ours_that_is_not_sound_never_ended(self):
        found = {'messages_per_second_per_node': 2e6, 'nodes': 3, 'published': 10, 'expected': 30,
                 'delivered': 24, 'sound': False, 'p50_ns': 1, 'p99_ns': 2, 'p999_ns': 3,
                 'max_ns': 4}
        sample = report.sample_of_order(found)
        self.assertEqual((sample['rate'], sample['sent'], sample['lost'], sample['ended']),
                         (2e6, 10, 2, False))
        self.assertEqual((sample['p50_ns'], sample['max_ns']), (1, 4))

    def test_total_order_is_not_judged_without_lambdacast(self):
        lines = report.order_criteria({ORDER_FLAT: {'corosync': of(rate=5)}})
        self.assertEqual([line['judged'] for line in lines], [False])
        self.assertIn('NOT MEASURED', report.verdict(lines[0]))
        # Corosync missing: what was not compared is not reached.
        lines = report.order_criteria({ORDER_FLAT: {'lambdacast-order': of(rate=5)}})
        self.assertEqual([(line['judged'], line['reached']) for line in lines], [(True, False)])

    def test_total_order_over_af_packet_is_shown_and_not_judged(self):
        results = {ORDER_FLAT: {'corosync': of(rate=5), 'lambdacast-order': of(rate=50),
                                'lambdacast-order-veth': of(rate=500)}}
        lines = report.order_criteria(results)
        self.assertEqual([(line['ratio'], line['judged'], line['ours'][0]) for line in lines],
                         [(10, True, 'lambdacast-order'), (100, False, 'lambdacast-order-veth')])
        self.assertIn('beside  message rate, of Corosync, over af_packet',
                      report.verdict(lines[1]))
        self.assertFalse(report.passed(lines))
        del results[ORDER_FLAT]['corosync']
        self.assertEqual(len(report.order_criteria(results)), 1)

    def test_all_cases_are_judged(self):
        everyone = of(rate=1, p50_ns=1, p999_ns=1)
        results = {report.case_name(*case): {name: everyone for name in
                                             report.PEERS + report.OURS}
                   for case in report.cases()}
        lines = report.criteria(results)
        self.assertEqual(len([line for line in lines if line['judged']]), 4 + 4 + 2)
        self.assertFalse(report.passed(lines))


class Report(unittest.TestCase):
    RESULTS = {FLAT: {'udp': report.summary([report.sample_of_peer(peer(lost=2))]),
                      'norm': None,
                      'lambdacast': report.summary([report.sample_of_throughput(
                          {'messages_per_second': 2e6, 'total_sent_messages': 9,
                           'lost_messages': 0})])},
               PACED: {"udp": report.summary([report.sample_of_peer(peer())]),
                       'pgm': report.summary([report.sample_of_peer(
                           peer(received=0, ended=False))])}}

    def test_table(self):
        text = report.table(self.RESULTS)
        self.assertIn('2 of 100', text)
        self.assertIn('norm', text)
        self.assertIn('no figures', text)
        self.assertIn('1 of 1 runs never ended', text)
        self.assertLess(max(map(len, text.split('\n'))), 120)

    ORDER = {case: {'corosync': report.summary([report.sample_of_members(peer(), [peer()])])}
             for case in (ORDER_FLAT, ORDER_PACED)}

    def test_table_of_total_order(self):
        text = report.order_table(self.ORDER)
        self.assertIn('3 nodes, 64 bytes, flat out', text)
        self.assertEqual(text.count('its sender'), 1)  # of what is paced only
        self.assertNotIn('2 nodes', text)

    def test_verdict_names_who_is_compared(self):
        line = report.criteria({FLAT: {'udp': of(rate=2), 'lambdacast': of(rate=50)}})[0]
        self.assertRegex(report.verdict(line), r'reached .*: 25, .*lambdacast against udp')

    @unittest.skipUnless(shutil.which('gnuplot'), 'no gnuplot')
    def test_gnuplot_draws_it(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "it's.svg")
            done = subprocess.run(['gnuplot'], text=True, capture_output=True, check=False,
                                  input=report.gnuplot_script(self.RESULTS, path, self.ORDER))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding='utf-8') as stream:
                svg = stream.read()
        self.assertIn('As fast as they can', svg)
        self.assertIn('lambdacast', svg)
        self.assertIn('corosync', svg)


if __name__ == '__main__':
    unittest.main()

#!/usr/bin/python3
"""What scripts/bench-vs-peers makes of its runs: scripts/peers_report.py on made-up figures."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
import peers_report as report  # noqa: E402

FLAT = report.case_name(64, 'flat out', 0)
PACED = report.case_name(64, 'paced', 0)
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

    def test_verdict_names_who_is_compared(self):
        line = report.criteria({FLAT: {'udp': of(rate=2), 'lambdacast': of(rate=50)}})[0]
        self.assertRegex(report.verdict(line), r'reached .*: 25, .*lambdacast against udp')

    @unittest.skipUnless(shutil.which('gnuplot'), 'no gnuplot')
    def test_gnuplot_draws_it(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "it's.svg")
            done = subprocess.run(['gnuplot'], input=report.gnuplot_script(self.RESULTS, path),
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding='utf-8') as stream:
                svg = stream.read()
        self.assertIn('As fast as they can', svg)
        self.assertIn('lambdacast', svg)


if __name__ == '__main__':
    unittest.main()

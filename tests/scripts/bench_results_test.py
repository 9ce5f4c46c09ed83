#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Results on file and their tables: tests/bench/results.py, render.py, plans.py and measure; and
that every table of doc/benchmarks.md is the one that its file gives."""
import importlib.machinery
import importlib.util
import json
import os
import stat
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'bench')
sys.path.insert(0, BENCH)
import plans  # noqa: E402
import render  # noqa: E402
import results  # noqa: E402

PLAN = plans.Plan({'short': 'latency --count 1', 'long': 'latency --count 2'},
                  [plans.Column('p50_ns', '50 %, us', 1000, 1), plans.Column('lost', 'lost')])


def load_measure():
    path = os.path.join(BENCH, 'measure')
    loader = importlib.machinery.SourceFileLoader('measure', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('measure', loader))
    loader.exec_module(module)
    return module


def found():
    rounds = [{'p50_ns': value, 'lost': 0} for value in (1000, 3000, 2000, 5000, 4000)]
    case = ('short', 'lambdacast-bench latency', rounds)
    file = results.collect('made-up', [case], 'abc', 'busy')
    file['machine'] = {'cpu': 'a CPU', 'cores': 2, 'kernel': '6.1'}
    file['date'] = '2000-01-01'
    return file


class Results(unittest.TestCase):
    def test_rounds__expect_their_median_and_quartiles(self):
        self.assertEqual(results.summary([5, 1, 4, 2, 3]),
                         {'median': 3, 'quartiles': [2.0, 4.0], 'rounds': [5, 1, 4, 2, 3]})
        self.assertEqual(results.summary([7])['quartiles'], [7, 7])

    def test_a_file__expect_it_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as directory:
            results.write(found(), directory)
            self.assertEqual(results.read('made-up', directory), json.loads(json.dumps(found())))

    def test_cpuinfo__expect_the_model(self):
        self.assertEqual(results.cpu_model('processor : 0\nmodel name\t: A 9000: fast\n'),
                         'A 9000: fast')


class Tables(unittest.TestCase):
    def setUp(self):
        plans.PLANS['made-up'] = PLAN
        self.addCleanup(plans.PLANS.pop, 'made-up')

    def test_a_table__expect_medians_quartiles_and_the_machine(self):
        self.assertEqual(render.table(found()).splitlines(), [
            '|  | 50 %, us | lost |', '|---|---|---|', '| short | 3.0 (2.0 to 4.0) | 0 |', '',
            '| machine | rounds | commit | date |', '|---|---|---|---|',
            '| a CPU, 2 cores, Linux 6.1 | 5: medians (quartiles) | abc | 2000-01-01 |', '',
            'busy.'])

    def test_another_file__expect_the_table_stale_until_it_is_rendered(self):
        text = 'a\n<!-- results: made-up -->\nold\n<!-- end of results -->\nb\n'
        with tempfile.TemporaryDirectory() as directory:
            results.write(found(), directory)
            self.assertEqual(render.stale(text, directory), ['made-up'])
            new = render.rendered(text, directory)
            self.assertEqual(render.stale(new, directory), [])
            self.assertTrue(new.startswith('a\n<!-- results: made-up -->\n\n| '))
            self.assertTrue(new.endswith('busy.\n\n<!-- end of results -->\nb\n'))

    def test_thousands_and_zero__expect_them_readable(self):
        self.assertEqual(render.number(1234567, plans.Column('x', 'x')), '1 234 567')
        self.assertEqual(render.number(0, plans.Column('x', 'x', 1, 9)), '0')


class Measure(unittest.TestCase):
    def setUp(self):
        plans.PLANS['made-up'] = PLAN
        self.addCleanup(plans.PLANS.pop, 'made-up')
        self.measure = load_measure()
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def program(self, text):
        path = os.path.join(self.directory.name, 'program')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write('#!/bin/sh\n' + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_rounds__expect_cases_in_turn_and_backwards_every_other_time(self):
        log = os.path.join(self.directory.name, 'log')
        program = self.program(f'echo "$3" >>{log}; echo \'{{"p50_ns": 7, "lost": 0, "x": 1}}\'\n')
        self.assertEqual(self.measure.measure('made-up', 2, program)[1],
                         ('long', 'lambdacast-bench latency --count 2',
                          [{'p50_ns': 7, 'lost': 0}] * 2))
        with open(log, encoding='utf-8') as stream:
            self.assertEqual(stream.read().split(), ['1', '2', '2', '1'])

    def test_a_run_that_fails_or_says_too_little__expect_why(self):
        for text, why in (('echo no ports >&2; exit 3\n', 'exit code 3:\nno ports'),
                          ('echo \'{"p50_ns": 7}\'\n', 'the report has no lost')):
            with self.assertRaisesRegex(self.measure.Failed, why):
                self.measure.measure('made-up', 1, self.program(text))


class Document(unittest.TestCase):
    def test_doc_benchmarks__expect_the_tables_of_the_files(self):
        with open(render.DOCUMENT, encoding='utf-8') as stream:
            text = stream.read()
        self.assertEqual(render.stale(text), [], 'to mend: tests/bench/render.py')
        there = sorted(block['name'] for block in render.BLOCK.finditer(text))
        files = sorted(name[:-len('.json')] for name in os.listdir(results.DIRECTORY))
        self.assertEqual(there, files)


if __name__ == '__main__':
    unittest.main()

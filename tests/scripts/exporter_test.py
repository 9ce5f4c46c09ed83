#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/lambdacast-exporter makes of what a telemetry socket answers: a made-up process."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import json
import os
import socket
import tempfile
import threading
import unittest
from unittest import mock

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts/lambdacast-exporter')


def load(path):
    loader = importlib.machinery.SourceFileLoader('lambdacast_exporter', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


exporter = load(PATH)
FIGURES = {'name': 'label - The name.', 'note': 'text - A note.',
           'packets': 'counter packets Packets.', 'wait': 'gauge ns The wait.'}


class Process:
    """Answers at a socket as DPDK does: `answers` by command; bytes as they are; of what is called
    the result."""

    def __init__(self, directory, answers):
        self.path = os.path.join(directory, 'dpdk_telemetry.v2')
        self.answers = answers
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            connection = self.listener.accept()[0]
            with connection:
                connection.send(b'{"version": "made up", "pid": 1, "max_output_len": 16384}')
                while command := connection.recv(1024).decode():
                    if command == 'end':
                        return
                    answer = self.answers.get(command)
                    answer = answer() if callable(answer) else answer
                    connection.send(answer if isinstance(answer, bytes)
                                    else json.dumps({command: answer}).encode())

    def end(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(self.path)
            client.recv(1024)
            client.send(b'end')
        self.thread.join()
        self.listener.close()


def row(name, **changes):
    return {'name': name, 'note': 'n', 'packets': 1, 'wait': 5, **changes}


def table(*rows):
    return {'total': len(rows), 'rows': dict(enumerate(rows))}


@contextlib.contextmanager
def process_with(answers):
    with tempfile.TemporaryDirectory() as directory:
        process = Process(directory, answers)
        try:
            yield process.path
        finally:
            process.end()


class ExporterTest(unittest.TestCase):
    def scrape(self, answers, subjects=('things',)):
        """The text of a scrape and what is said on stderr."""
        known = {'/lambdacast/subjects': list(subjects),
                 **{f'/lambdacast/figures,{subject}': FIGURES for subject in subjects}}
        said = io.StringIO()
        with process_with({**known, **answers}) as path, contextlib.redirect_stderr(said):
            return exporter.metrics(path), said.getvalue()

    def rows(self, *rows):
        return self.scrape({'/lambdacast/things,,0': table(*rows)})

    def test_text_that_is_escaped_becomes_the_label_it_was(self):
        for sent, label in ((r'\u00e9t\u00e9', 'été'), (r'\U0001f600', '😀'), ('a"b', r'a\"b'),
                            (r'a\\u00e9', r'a\\u00e9'), (r'\xc2\x9b', r'\\xc2\\x9b')):
            text, said = self.rows(row(sent))
            self.assertIn(f'lambdacast_things_packets_total{{name="{label}"}} 1\n', text)
            self.assertEqual(said, '')

    def test_text_that_goes_on_in_further_members_is_put_together(self):
        text, _ = self.rows({**row('a' * 127), 'name/2': r'\u00e9', 'name/3': 'z'})
        self.assertIn('{name="' + 'a' * 127 + 'éz"}', text)

    def test_rows_that_cannot_be_read_are_left_out_alone_and_counted(self):
        text, said = self.rows(row('first'), {'name': 'half'}, row('odd', packets='many'),
                               row(r'\Uffffffff'), row('last'))
        self.assertIn('packets_total{name="first"} 1\n', text)
        self.assertIn('packets_total{name="last"} 1\n', text)
        self.assertNotIn('half', text)
        self.assertNotIn('odd', text)
        self.assertIn('\nlambdacast_scrape_left_out 3\n', text)
        self.assertIn('things, row 1', said)
        self.assertEqual(said.count('\n'), 3)

    def test_an_answer_that_is_no_json_ends_its_table_alone(self):
        text, said = self.scrape(
            {'/lambdacast/things,,0': {'total': 2, 'rows': {'0': row('one')}, 'next': 1},
             '/lambdacast/things,,1': b'{"/lambdacast/things": {"rows": {"1": {"name": "\xe9\\q',
             '/lambdacast/others,,0': {'total': 1, 'rows': {'0': row('two')}}},
            ('things', 'others'))
        self.assertIn('lambdacast_up 1\n', text)
        self.assertIn('lambdacast_things_packets_total{name="one"} 1\n', text)
        self.assertIn('lambdacast_others_packets_total{name="two"} 1\n', text)
        self.assertIn('\nlambdacast_scrape_left_out 1\n', text)
        self.assertIn('left out: /lambdacast/things,,1', said)

    def test_bytes_of_latin_1_from_an_old_process_are_shown_and_the_row_is_kept(self):
        answer = json.dumps({'x': {'total': 1, 'rows': {'0': row('?t?')}}}).encode()
        text, _ = self.scrape({'/lambdacast/things,,0': answer.replace(b'?t?', b'\xe9t')})
        self.assertIn('{name="\ufffdt"} 1\n', text)
        self.assertIn('\nlambdacast_scrape_left_out 0\n', text)

    def test_a_table_that_does_not_go_on_ends(self):
        text, said = self.scrape({'/lambdacast/things,,0':
                                  {'total': 9, 'rows': {'0': row('one')}, 'next': 0}})
        self.assertIn('{name="one"} 1\n', text)
        self.assertIn('the next is 0', said)

    def test_a_table_is_read_on_in_the_snapshot_it_began_in(self):
        text, said = self.scrape(
            {'/lambdacast/things,,0': {'rows': {'0': row('one')}, 'next': 1, 'snapshot': 7},
             '/lambdacast/things,,1,7': {'rows': {'1': row('two')}, 'next': 2, 'snapshot': 7},
             '/lambdacast/things,,2,7': None})
        self.assertIn('{name="two"} 1\n', text)
        self.assertIn('things from row 2: no rows', said)  # it has gone meanwhile

    def test_a_socket_that_is_not_there_is_told_of(self):
        for path in ('nothing', '/nowhere/at/all/dpdk_telemetry.v2'):
            with self.assertRaisesRegex(exporter.Down, f'^no DPDK process answers at {path}: '):
                exporter.metrics(path)

    def test_units_are_those_of_prometheus(self):
        text, _ = self.rows(row('one', wait=1500))
        self.assertIn('lambdacast_things_wait_seconds{name="one"} 1.5e-06\n', text)


class ProbesTest(unittest.TestCase):
    def test_lcores_that_move_are_alive(self):
        loops = itertools.count(5)
        with process_with({'/lambdacast/lcores,,0':
                           lambda: table({'lcore': '0', 'loops': next(loops)},
                                         {'lcore': '1', 'loops': next(loops)})}) as path:
            self.assertEqual(exporter.live(path), (True, 'all 2 lcores move'))

    def test_one_that_does_not_is_named(self):
        loops = itertools.count(5)
        with process_with({'/lambdacast/lcores,,0':
                           lambda: table({'lcore': '0', 'loops': next(loops)},
                                         {'lcore': '1', 'loops': 9})}) as path:
            good, sentence = exporter.live(path)
        self.assertFalse(good)
        self.assertRegex(sentence, r'^not moved for 2\.\d s: lcore 1$')

    def ready(self, **tables):
        healthy = {'port_info': [{'endpoint': 'a', 'name': 'net_x', 'link': 'up'}],
                   'view': [{'endpoint': 'a', 'state': 'operational'}],
                   'peers': [{'endpoint': 'a', 'peer': '10.0.0.2', 'stream': 'open'}]}
        with process_with({f'/lambdacast/{subject},,0': table(*rows)
                           for subject, rows in {**healthy, **tables}.items()}) as path:
            return exporter.ready(path)

    def test_ports_up_and_in_a_view_is_ready(self):
        self.assertEqual(self.ready(), (True, '1 ports up, 1 endpoints in views'))
        self.assertTrue(self.ready(view=[])[0], 'no membership')
        self.assertTrue(self.ready(view=[{'endpoint': 'a', 'state': 'recovering'}])[0])

    def test_what_is_not_ready_is_named(self):
        for tables, why in (
                ({'port_info': [{'endpoint': 'a', 'name': 'net_x', 'link': 'down'}]},
                 'the link of a (net_x) is down'),
                ({'port_info': []}, 'there is no port'),
                ({'view': [{'endpoint': 'a', 'state': 'excluded'}]}, 'a is in no view: excluded'),
                ({'view': [{'endpoint': 'a', 'state': 'stranded'}]}, 'a is in no view: stranded'),
                ({'peers': [{'endpoint': 'a', 'peer': '10.0.0.2', 'stream': 'evicted'}]},
                 'a is cut off by 10.0.0.2')):
            self.assertEqual(self.ready(**tables), (False, why))


class ArgumentsTest(unittest.TestCase):
    def test_addresses_to_listen_at(self):
        for text, address in (('[::1]:9477', ('::1', 9477)), (':9477', ('', 9477)),
                              ('127.0.0.1:0', ('127.0.0.1', 0)), ('host.name:1', ('host.name', 1)),
                              ('[fe80::1%eth0]:65535', ('fe80::1%eth0', 65535))):
            self.assertEqual(exporter.listen_address(text), address)
        for text in ('', '9477', ':65536', ':99999', '::1:9477', '[::1]', '[::1:9477',
                     '[1.2.3.4]:1', 'a b:1', ':-1', ':0x10', '[::1]:'):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                exporter.listen_address(text)

    def found(self, environment, user, there=()):
        options = argparse.Namespace(socket=None, instance=0, file_prefix='p')
        with mock.patch.dict(os.environ, environment, clear=True), \
                mock.patch.object(os, 'getuid', return_value=user), \
                mock.patch.object(os.path, 'exists', side_effect=lambda path: path in there):
            return exporter.find_socket(options)

    def test_the_socket_is_where_dpdk_has_it(self):
        socket_of = '{}/dpdk/p/dpdk_telemetry.v2'.format
        session = {'XDG_RUNTIME_DIR': '/run/user/7'}
        systemd = {**session, 'RUNTIME_DIRECTORY': '/run/lambdacast'}
        for environment, user, there, directory in (
                ({}, 0, (), '/var/run'), (session, 0, (), '/var/run'), ({}, 7, (), '/tmp'),
                (session, 7, (), '/run/user/7'), (systemd, 7, (), '/run/lambdacast'),
                (systemd, 0, (), '/run/lambdacast'), ({'RUNTIME_DIRECTORY': ''}, 0, (), '/var/run'),
                (systemd, 7, ('/run/user/7',), '/run/user/7'), (systemd, 7, ('/tmp',), '/tmp'),
                (systemd, 0, ('/var/run',), '/var/run')):
            found = self.found(environment, user, [socket_of(each) for each in there])
            self.assertEqual(found, socket_of(directory))


if __name__ == '__main__':
    unittest.main()

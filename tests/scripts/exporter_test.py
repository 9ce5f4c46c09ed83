#!/usr/bin/python3
"""What scripts/lambdacast-exporter makes of what a telemetry socket answers: a made-up process."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import socket
import tempfile
import threading
import unittest

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
    """Answers at a socket as DPDK does: `answers` by command, bytes as they are."""

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


class ExporterTest(unittest.TestCase):
    def scrape(self, answers, subjects=('things',)):
        """The text of a scrape and what is said on stderr."""
        known = {'/lambdacast/subjects': list(subjects),
                 **{f'/lambdacast/figures,{subject}': FIGURES for subject in subjects}}
        with tempfile.TemporaryDirectory() as directory:
            process = Process(directory, {**known, **answers})
            said = io.StringIO()
            try:
                with contextlib.redirect_stderr(said):
                    return exporter.metrics(process.path), said.getvalue()
            finally:
                process.end()

    def rows(self, *rows):
        return self.scrape({'/lambdacast/things,,0':
                            {'total': len(rows), 'rows': dict(enumerate(rows))}})

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

    def test_units_are_those_of_prometheus(self):
        text, _ = self.rows(row('one', wait=1500))
        self.assertIn('lambdacast_things_wait_seconds{name="one"} 1.5e-06\n', text)


if __name__ == '__main__':
    unittest.main()

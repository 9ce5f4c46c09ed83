# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/dev/run_tests.py stands on: running with a time limit, counting, meson build
trees."""
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(ROOT, 'build', 'test-logs')
SKIP_CODE = 77
BUILD_TIMEOUT_S = 3600  # of the 90 minutes of CI; the instrumented one waits for others meanwhile
TAIL_LINES = 30
SANITIZERS = {
    'ASAN_OPTIONS': 'detect_stack_use_after_return=1',
    'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1:second_deadlock_stack=1',
}


def run(command, log, timeout, env=None):
    """(exit code, seconds) of `command`, its output in `log`. 124: it ran out of time and was
    killed, with the processes it started."""
    start = time.monotonic()
    with open(log, 'ab') as stream:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})}, start_new_session=True)
        RUNNING.add(process)
        try:
            code = process.wait(timeout)
        except BaseException as stop:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
            stream.write(f'\nkilled: still running after {timeout} s\n'.encode())
            code = 124
        finally:
            RUNNING.discard(process)
    return code, time.monotonic() - start


def kill_running():
    """Ends what other threads still run: a process group of its own does not end with this one."""
    for process in list(RUNNING):
        os.killpg(process.pid, signal.SIGKILL)


RUNNING = set()
atexit.register(kill_running)


def log_path(*parts):
    """A fresh log for the thing named by `parts`."""
    path = os.path.join(LOGS, re.sub(r'[^\w.-]+', '_', '-'.join(parts)) + '.log')
    open(path, 'w', encoding='utf-8').close()
    return path


def without_address_randomisation():
    """The sanitizers of GCC 12 and clang 14 fail now and then where the kernel scatters widely."""
    prefix = ['setarch', '-R']
    if shutil.which('setarch') and subprocess.run(prefix + ['true'], check=False).returncode == 0:
        return prefix
    return []


class Results:
    def __init__(self):
        self.counts = {'pass': 0, 'fail': 0, 'skip': 0}
        self.failures = []

    def add(self, status, name, seconds, log=None):
        self.counts[status] += 1
        print(f'{status}  {name}  {seconds:.1f} s', flush=True)
        if status == 'fail':
            self.failures.append(name)
        if status == 'fail' and log:
            with open(log, encoding='utf-8', errors='replace') as stream:
                lines = stream.read().splitlines()
            head, tail = lines[:-TAIL_LINES], lines[-TAIL_LINES:]
            # What a script says of its failure may stand above a long answer that it quotes.
            reasons = [line for line in head if 'FAILED' in line]
            print('\n'.join('    | ' + line for line in reasons + tail))
            print(f'    log: {os.path.relpath(log, ROOT)}', flush=True)

    def add_code(self, code, name, seconds, log):
        status = 'pass' if code == 0 else 'skip' if code == SKIP_CODE else 'fail'
        self.add(status, name, seconds, log)

    def close(self):
        """The last line, and the exit code."""
        passed, failed, skipped = (self.counts[k] for k in ('pass', 'fail', 'skip'))
        if passed + failed == 0:
            print('nothing ran')
        for name in self.failures:
            print(f'failed: {name}')
        print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
        return 1 if failed or not passed else 0


class BuildTree:
    """One meson build directory: configured and compiled on first need."""

    def __init__(self, results, name, options, compiler='g++', sanitizer=False):
        self.results, self.name = results, name
        self.path = os.path.join(ROOT, name)
        self.options = [f'-D{key}={value}' for key, value in options.items()]
        # Who has ccache pays for a tree's compilation once, however many clones there are.
        launcher = 'ccache ' if shutil.which('ccache') else ''
        self.env = {'CXX': launcher + compiler, **(SANITIZERS if sanitizer else {})}
        self.prefix = without_address_randomisation() if sanitizer else []
        self.sanitized = sanitizer
        self.state = {}
        self.ahead = None     # the thread of compile_ahead

    def step(self, what, command):
        """True if `command` succeeded; a failure counts as a failed test."""
        if what in self.state:
            return self.state[what]
        log = log_path(self.name, what)
        code, seconds = run(command, log, BUILD_TIMEOUT_S, self.env)
        if code:
            self.results.add('fail', f'{self.name}: {what}', seconds, log)
        else:
            print(f'done  {self.name}: {what}  {seconds:.1f} s', flush=True)
        self.state[what] = code == 0
        return code == 0

    def configure(self):
        if os.path.exists(os.path.join(self.path, 'meson-private', 'coredata.dat')):
            command = ['meson', 'configure', self.path] + self.options
        else:
            command = ['meson', 'setup', self.path, ROOT] + self.options
        return self.step('configure', command)

    def compile(self, targets=()):
        if self.ahead:
            self.ahead.join()
        command = self.prefix + ['ninja', '-C', self.path, *targets]
        return self.configure() and self.step('compile', command)

    def compile_ahead(self, targets=()):
        """Compiles with what processor time others leave, until compile() waits for it."""
        idle = ['chrt', '--idle', '0'] if shutil.which('chrt') else ['nice', '-n', '19']
        command = [*idle, *self.prefix, 'ninja', '-C', self.path, *targets]
        if self.configure():
            self.ahead = threading.Thread(target=self.step, args=('compile', command), daemon=True)
            self.ahead.start()

    def introspect(self, what):
        answer = subprocess.run(['meson', 'introspect', '--' + what, self.path], check=True,
                                capture_output=True, text=True)
        return json.loads(answer.stdout)

    def tests(self):
        return self.introspect('tests') if self.configure() else []

    def run_tests(self, names=None):
        """Runs the meson tests (those in `names` only) and counts each."""
        if names is not None and not names:
            return
        logs = os.path.join(self.path, 'meson-logs')
        base = 'run-tests'
        records = os.path.join(logs, base + '.json')
        if os.path.exists(records):
            os.remove(records)
        log = log_path(self.name, 'meson-test')
        # Under a sanitizer everything is several times slower.
        slowness = ['-t', '4'] if self.sanitized else []
        command = [*self.prefix, 'meson', 'test', '-C', self.path, '--no-rebuild',
                   '--logbase', base, *slowness, *(names or [])]
        code, seconds = run(command, log, BUILD_TIMEOUT_S, self.env)
        failures = self.results.counts['fail']
        if os.path.exists(records):
            with open(records, encoding='utf-8') as stream:
                for line in stream:
                    self.count(json.loads(line))
        if code and self.results.counts['fail'] == failures:
            self.results.add('fail', f'{self.name}: meson test', seconds, log)

    def count(self, record):
        name = record['name'].split(' / ')[-1]
        known = {'OK': 'pass', 'EXPECTEDFAIL': 'pass', 'SKIP': 'skip'}
        status = known.get(record['result'], 'fail')
        log = log_path(self.name, name)
        with open(log, 'w', encoding='utf-8') as stream:
            stream.write(record.get('stdout', '') + record.get('stderr', ''))
            stream.write(f"\n{record['result']}, exit code {record.get('returncode')}\n")
        self.results.add(status, f'{self.name}: {name}', record['duration'], log)

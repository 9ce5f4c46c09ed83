# SPDX-License-Identifier: BSD-3-Clause
"""Is the service manager of two programs, members of one view: READY must not come before the view
has both, WATCHDOG comes while they run, STATUS says how they do, STOPPING ends. Usage:
lambdacast_service.py LAMBDACAST CONFIG CONFIG FOLDER"""
import os
import signal
import socket
import subprocess
import sys

PATIENCE_S = 60


class Manager:
    """One notify socket, and the program that it was given to."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace('@', '\0', 1) if address[0] == '@' else address)
        self.socket.settimeout(PATIENCE_S)
        self.heard = []
        self.process = None

    def start(self, command):
        environment = dict(os.environ, NOTIFY_SOCKET=self.address, WATCHDOG_USEC='1000000')
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)

    def wait_for(self, beginning):
        """Until a message begins so; it and all before it are kept."""
        while True:
            message = self.socket.recv(4096).decode()
            self.heard.append(message)
            if message.startswith(beginning):
                return message

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.wait_for('STOPPING=1')
        return self.process.wait(PATIENCE_S)


def main(program, first_config, second_config, folder):
    first = Manager(os.path.join(folder, 'notify'))
    second = Manager(f'@lambdacast-test-{os.getpid()}')
    try:
        first.start([program, '--config', first_config])
        first.wait_for('STATUS=1 endpoints, 1 in no view')
        first.wait_for('WATCHDOG=1')
        assert 'READY=1' not in first.heard, f'ready alone: {first.heard}'
        second.start([program, '--config', second_config])
        for manager in (first, second):
            manager.wait_for('READY=1')
            manager.wait_for('STATUS=1 endpoints, view of 2 members')
            manager.wait_for('WATCHDOG=1')
        codes = [first.end(), second.end()]
        assert all(code in (0, 4) for code in codes), f'exit codes {codes}'
        print(f'the first heard {sorted(set(first.heard))}')
    finally:
        for manager in (first, second):
            if manager.process is not None and manager.process.poll() is None:
                manager.process.kill()
                manager.process.wait()


if __name__ == '__main__':
    main(*sys.argv[1:])

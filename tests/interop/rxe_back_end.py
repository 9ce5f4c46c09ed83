# SPDX-License-Identifier: BSD-3-Clause
"""The hardware back end over the kernel's Soft-RoCE: a shipped lambdacast in the emulated machine,
whose port is verbs:rxe0, and one on the host's tap. Both publish reliable multicast at the same
time; the host's is stopped until its port has lost frames, which then have to be sent again over
rxe's queue pair. Then a stranger sends a datagram that is longer than the receives posted for it,
for which rxe takes the queue pair out of service."""
import os
import re
import signal
import time

from rxe_appliance import GROUPS
from rxe_exchange import KERNELS, MULTICAST_QPN, OURS, QKEY, digits, multicast_mac
from rxe_machine import TAP, Failed, Talker

SHOWN_S = 60
MESSAGES = 300
# For a machine that is emulated on a loaded host, and memory of 4 kB pages.
ENDPOINT = """
[[endpoint]]
name = "%s"
address = "%s"
port = "%s"
path_mtu = 1024
rx_descriptors = 256
tx_descriptors = 256
mbufs = 2048
link_slots = 256
max_peers = 8
max_message_bytes = 65536
reassembly_bytes = 131072
[endpoint.reliability]
late_join = "retained"
transmit_window = 512
receive_window = 512
hold = 256
heartbeat_us = 50000
suspect_after_ms = 60000
repair_deadline_ms = 120000
retain_ms = 120000
[traffic]
enabled = true
rate_pps = 200
qos = "source"
payload_bytes = 64
[[lcore]]
id = 0
idle = "sleep"
"""
EAL = ['--no-huge', '--no-shconf', '-m', '128', '--no-pci', '--no-telemetry', '--']
# So few frames wait in the tap's ring that a stopped host loses some soon.
HOST_PORT = f'net_af_packet0,iface={TAP},framecnt=32'


def machine_files():
    """What the machine's image has to hold: {path: text}."""
    return {f'etc/lambdacast/{family}.toml': ENDPOINT % ('machine', address, 'verbs:rxe0')
            for family, address in KERNELS.items()}


def number(text):
    return int(text.replace(',', ''))


def table(said, name):
    """Messages sent and delivered, of an endpoint's last row."""
    rows = re.findall(rf'^{name} +\S+ +[\d,]+ +[\d,]+ +([\d,]+) +([\d,]+) ', said, re.M)
    return tuple(number(value) for value in rows[-1]) if rows else (0, 0)


def report(said, pattern):
    found = re.search(pattern, said)
    return number(found.group(1)) if found else -1


class InMachine:
    """A lambdacast there, by way of the peer's shell. Its output lies in a file."""

    def __init__(self, machine, family):
        self.machine, self.text = machine, ''
        # The machine has no directory for a control socket, and nobody to attach to it.
        program = ' '.join(['lambdacast', *EAL, '--config', f'/etc/lambdacast/{family}.toml',
                            '--control-socket', 'none'])
        machine.want('run', f'{program} --stats-period 0.5 >/tmp/said 2>&1 </dev/null & '
                            'echo $! >/tmp/pid')

    def said(self):
        said = self.machine.want('read', '/tmp/said')[1].strip('-')
        self.text = bytes.fromhex(said).decode()
        if refused := re.search('^lambdacast: .*', self.text, re.M):
            raise Failed(f'in the machine: {refused.group()}')
        return self.text

    def terminate(self):
        self.machine.want('run', 'kill -TERM $(cat /tmp/pid)')


class OnHost:
    def __init__(self, program, configuration, errors):
        self.talker = Talker('lambdacast', [program, '--config', configuration, '--stats-period',
                                            '0.5'], errors)
        self.text = ''

    def said(self):
        """Waits for a line: as often as the machine is asked."""
        try:
            self.text += self.talker.line(SHOWN_S) + '\n'
        except Failed:
            if self.talker.process.poll() is None:
                raise
        return self.text

    def signal(self, number_):
        self.talker.process.send_signal(number_)


def wait_for(what, condition):
    deadline = time.monotonic() + SHOWN_S
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f'{what}: not in {SHOWN_S} s')
        time.sleep(0.1)  # the machine has one processor, and answering takes some of it


def send_over_mtu(command, folder, family):
    """4100 bytes to the group that both are in."""
    stranger = Talker('the stranger', command, os.path.join(folder, f'stranger-{family}'))
    try:
        if stranger.line(SHOWN_S) != 'ready':
            raise Failed('the stranger does not start')
        group = GROUPS[family]
        stranger.want('send', 'over_mtu', multicast_mac(group), group, MULTICAST_QPN, QKEY, 0, '-',
                      digits(bytes(4096)))
    finally:
        stranger.close()


def exchange(machine, program, stranger, folder, family):
    """What is wrong, or None."""
    configuration = os.path.join(folder, f'back_end-{family}.toml')
    with open(configuration, 'w', encoding='utf-8') as stream:
        stream.write(ENDPOINT % ('host', OURS[family], HOST_PORT))
    host = OnHost(program, configuration, os.path.join(folder, f'back_end-{family}'))
    there = None
    try:
        wait_for('the host starts', lambda: 'sent/s' in host.said())
        there = InMachine(machine, family)
        wait_for('the host hears the machine',
                 lambda: there.said() and table(host.said(), 'host')[1] > MESSAGES)
        wait_for('the machine hears the host', lambda: table(there.said(), 'machine')[1] > MESSAGES)
        sent = table(there.said(), 'machine')[0]
        host.signal(signal.SIGSTOP)
        wait_for('the machine goes on', lambda: table(there.said(), 'machine')[0] > sent + MESSAGES)
        host.signal(signal.SIGCONT)
        heard = table(host.said(), 'host')[1]
        wait_for('the host goes on', lambda: table(host.said(), 'host')[1] > heard + 2 * MESSAGES)
        send_over_mtu(stranger, folder, family)
        wait_for('the queue pair fails', lambda: 'has failed and is set up anew' in there.said())
        heard = table(there.said(), 'machine')[1], table(host.said(), 'host')[1]
        wait_for('the machine hears again',
                 lambda: table(there.said(), 'machine')[1] > heard[0] + MESSAGES)
        wait_for('the host hears again',
                 lambda: table(host.said(), 'host')[1] > heard[1] + MESSAGES)
        there.terminate()
        wait_for('the machine ends', lambda: 'verdict:' in there.said())
        host.signal(signal.SIGTERM)
        wait_for('the host ends', lambda: 'verdict:' in host.said())
        return judge(there.said(), host.said())
    except Failed as failure:
        said = there.text[-2000:] if there else ''
        return f'{failure}\n--- the machine\'s\n{said}\n--- the host\'s\n{host.text[-1000:]}'
    finally:
        host.signal(signal.SIGCONT)
        host.talker.close()


def judge(machine, host):
    for name, said in (('machine', machine), ('host', host)):
        if 'verdict: every packet accounted for: ' not in said:
            return f'the {name}\'s packets are not accounted for:\n{said[-2000:]}'
        if report(said, r'([\d,]+) declared lost') != 0:
            return f'the {name} lost messages:\n{said[-2000:]}'
        if report(said, r'source ordered messages: [\d,]+ delivered, ([\d,]+) out') != 0:
            return f'the {name} has messages out of order:\n{said[-2000:]}'
    published = report(machine, r'recoverable packets: ([\d,]+) published')
    delivered = report(host, r'source ordered messages: ([\d,]+) delivered')
    if published != delivered:
        return f'the machine published {published}, and {delivered} were delivered:\n{host[-2000:]}'
    if report(host, r'here ([\d,]+) repaired') <= 0:
        return f'nothing was lost and repaired:\n{host[-2000:]}'
    return None


def checks(machine, program, stranger, folder):
    for family in OURS:
        yield f'{family} lambdacast on verbs:rxe0 in the machine, and on the tap', \
            exchange(machine, program, stranger, folder, family)

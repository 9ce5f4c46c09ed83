# SPDX-License-Identifier: BSD-3-Clause
"""Programs that answer each line with a line, among them the emulated machine of
scripts/interop-rxe on a tap."""
import contextlib
import os
import select
import subprocess
import time

import rxe_image

IPV4, IPV6 = '10.77.0.2', 'fd77::2'        # the machine's
MAC = '52:54:00:77:00:02'
HOST_IPV4, HOST_IPV6 = '10.77.0.1', 'fd77::1'
HOST_MAC = '02:4c:43:77:00:01'
PREFIX_BITS = {IPV4: 24, IPV6: 64}
MTU = 4200  # RoCE payloads of 4096 bytes, and headers
TAP = 'lcrxe'


class Failed(Exception):
    pass


class Talker:
    """A process that is asked by lines. Its errors go to a file."""

    def __init__(self, name, command, errors):
        self.name = name
        self.buffer = b''
        with open(errors, 'wb') as stream:
            # However this script ends, its processes end with it.
            alone = ['setpriv', '--pdeathsig', 'KILL', *command]
            self.process = subprocess.Popen(alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=stream)

    def line(self, seconds):
        """The next line it says."""
        deadline = time.monotonic() + seconds
        while b'\n' not in self.buffer:
            left = deadline - time.monotonic()
            ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
            said = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b''
            if not said:
                what = 'has ended' if ready else f'has said nothing for {seconds} s'
                raise Failed(f'{self.name} {what}')
            self.buffer += said
        line, self.buffer = self.buffer.split(b'\n', 1)
        return line.decode()

    def ask(self, *words, seconds=30):
        """Its answer, which may be that it failed."""
        try:
            self.process.stdin.write((' '.join(str(word) for word in words) + '\n').encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f'{self.name} has ended') from None
        return self.line(seconds)

    def want(self, *words):
        """Its answer's words; 'failed' is an error."""
        answer = self.ask(*words)
        if answer.startswith('failed'):
            raise Failed(f'{self.name}: {words[0]}: {answer}')
        return answer.split()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()


def make_tap():
    """In the network namespace that this process has to itself: one tap, and the kernel silent on
    it, without addresses and IPv6."""
    for command in (['sh', '-c', 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'],
                    ['ip', 'tuntap', 'add', TAP, 'mode', 'tap'],
                    ['ip', 'link', 'set', TAP, 'address', HOST_MAC, 'mtu', str(MTU), 'up']):
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            raise rxe_image.Unavailable(f'no tap to be had here: {made.stderr.strip()}')


def machine_command(console, image=rxe_image.IMAGE, processors=1, more=(), memory_mib=448):
    """qemu's. Emulated always: a host may have a /dev/kvm that an ordinary kernel hangs on.
    `more`: words for its first process."""
    words = (f'console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr tsc=reliable '
             f'random.trust_cpu=on audit=0 apparmor=0 selinux=0 net.ifnames=0 no_timer_check '
             f'rxe.ip={IPV4}/{PREFIX_BITS[IPV4]} rxe.ip6={IPV6}/{PREFIX_BITS[IPV6]} '
             f'rxe.mtu={MTU} ' + ' '.join(more))
    return ['qemu-system-x86_64', '-accel', 'tcg', '-cpu', 'max', '-smp', str(processors),
            '-m', str(memory_mib), '-nodefaults', '-no-user-config', '-display', 'none',
            '-no-reboot', '-kernel', rxe_image.KERNEL, '-initrd', image,
            '-append', words,
            '-netdev', f'tap,id=net,ifname={TAP},script=no,downscript=no,vnet_hdr=off',
            '-device', f'virtio-net-pci,netdev=net,mac={MAC},host_mtu={MTU},romfile=',
            '-device', 'virtio-rng-pci', '-device', 'virtio-serial-pci',
            '-chardev', 'stdio,id=peer,signal=off',
            '-device', 'virtserialport,chardev=peer,name=peer',
            '-chardev', f'file,id=console,path={console}', '-serial', 'chardev:console']


def processor_s(pid):
    """What a process has had so far. Booting takes some 8 s: less tells of a loaded host."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as stream:
        fields = stream.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def last_line(path):
    if not os.path.exists(path):
        return 'none'
    with open(path, encoding='utf-8', errors='replace') as stream:
        return (stream.read().split('\n')[:-1] or ['none'])[-1].strip()


def boot(folder, seconds):
    """The machine's peer, ready; its console is FOLDER/console."""
    console = os.path.join(folder, 'console')
    errors = os.path.join(folder, 'qemu')
    machine = Talker('the machine', machine_command(console), errors)
    try:
        said = machine.line(seconds)
        if said != 'ready':
            raise Failed(f'it says: {said}')
    except Failed as failure:
        spent = processor_s(machine.process.pid)
        machine.close()
        raise rxe_image.Unavailable(
            f'the machine does not boot here: {failure} and had {spent:.0f} s of processor time; '
            f'last words: {last_line(errors)}, on its console: {last_line(console)}') from None
    return machine

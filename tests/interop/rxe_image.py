# SPDX-License-Identifier: BSD-3-Clause
"""The machine of scripts/interop-rxe: Debian's kernel and an initial file system in build/rxe-vm,
made of this machine's own packages. The kernel's package is unpacked there, never installed."""
import glob
import os
import re
import shutil
import stat
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACE = os.path.join(ROOT, 'build', 'rxe-vm')
KERNEL = os.path.join(PLACE, 'vmlinuz')
IMAGE = os.path.join(PLACE, 'initramfs')
SOURCES = os.path.join(ROOT, 'tests', 'interop', 'rxe-vm')
# The programs that this stands on and the packages they come in (scripts/setup installs them).
NEEDED = {'qemu-system-x86_64': 'qemu-system-x86', 'busybox': 'busybox-static', 'ip': 'iproute2',
          'rdma': 'iproute2', 'dpkg-deb': 'dpkg', 'apt-get': 'apt', 'unshare': 'util-linux'}
PROVIDER = '/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so'
FILES = {PROVIDER: 'ibverbs-providers', '/usr/include/infiniband/verbs.h': 'libibverbs-dev'}
MODULES = ['virtio_pci', 'virtio_console', 'virtio_net', 'virtio_rng', 'crc32c_generic',
           'crc32_generic', 'ib_uverbs', 'rdma_ucm', 'rdma_rxe']
APPLETS = ['sh', 'mount', 'mkdir', 'cat', 'insmod', 'poweroff', 'echo', 'kill']
# EAL loads them where it looks for drivers: pools are stacks, and DPDK makes none without rings.
MEMPOOL = '/usr/lib/x86_64-linux-gnu/dpdk/pmds-*/librte_mempool_%s.so'


class Unavailable(Exception):
    """What is missing, and the command that mends it."""


def missing_packages():
    missing = {package for program, package in NEEDED.items() if not shutil.which(program)}
    missing |= {package for path, package in FILES.items() if not os.path.exists(path)}
    return sorted(missing)


def kernel_package():
    """The package that linux-image-amd64 stands for; the cloud flavour has no rdma_rxe."""
    answer = subprocess.run(['apt-cache', 'depends', 'linux-image-amd64'], capture_output=True,
                            text=True, check=False).stdout
    found = re.search(r'Depends: (linux-image-\d\S*)', answer)
    if not found:
        raise Unavailable('apt knows no linux-image-amd64; run: apt-get update')
    return found.group(1)


def unpack_kernel():
    """The kernel in PLACE/kernel; 70 MB are fetched once."""
    place = os.path.join(PLACE, 'kernel')
    if os.path.isdir(place):
        return place
    package = kernel_package()
    print(f'fetching {package}, 70 MB, once', flush=True)
    with tempfile.TemporaryDirectory(dir=PLACE) as scratch:
        fetched = subprocess.run(
            ['apt-get', 'download', '-q', '-o', 'APT::Sandbox::User=root', package], cwd=scratch,
            capture_output=True, text=True, check=False)
        archives = glob.glob(os.path.join(scratch, '*.deb'))
        if fetched.returncode or not archives:
            raise Unavailable(f'{package} cannot be fetched; see why: apt-get download {package}')
        unpacked = os.path.join(scratch, 'kernel')
        os.mkdir(unpacked)
        archive = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', archives[0]],
                                   stdout=subprocess.PIPE)
        subprocess.run(['tar', '-x', '-C', unpacked, './boot', './lib/modules'],
                       stdin=archive.stdout, check=True)
        archive.stdout.close()
        if archive.wait():
            raise Unavailable(f'{package} does not unpack')
        os.rename(unpacked, place)
    return place


def modules(kernel, wanted):
    """[(name, path)] in the order in which they load. What is built in has no file."""
    paths = {}
    for folder, _, names in os.walk(os.path.join(kernel, 'lib', 'modules')):
        for name in names:
            if name.endswith('.ko'):
                paths[name[:-3].replace('-', '_')] = os.path.join(folder, name)
    order = []

    def add(name):
        if name not in paths or name in order:
            return
        with open(paths[name], 'rb') as stream:
            depends = re.search(rb'\0depends=([^\0]*)\0', stream.read()).group(1).decode()
        for other in filter(None, depends.replace('-', '_').split(',')):
            add(other)
        order.append(name)

    for name in wanted:
        add(name)
    if 'rdma_rxe' not in order:
        raise Unavailable('this kernel has no rdma_rxe')
    return [(name, paths[name]) for name in order]


def libraries(programs):
    """All shared objects that the programs load, the loader included."""
    found = set()
    for program in programs:
        listed = subprocess.run(['ldd', program], capture_output=True, text=True, check=False)
        found |= set(re.findall(r'(/\S+) \(0x', listed.stdout))
    return sorted(found)


class Archive:
    """A cpio archive of the kernel's format ('newc')."""

    def __init__(self):
        self.parts = []
        self.folders = set()
        self.number = 0

    def entry(self, name, mode, content=b''):
        self.number += 1
        fields = [self.number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b'070701' + b''.join(b'%08x' % field for field in fields) + name.encode() + b'\0'
        self.parts += [head, b'\0' * (-len(head) % 4), content, b'\0' * (-len(content) % 4)]

    def folder(self, name):
        if name and name not in self.folders:
            self.folder(os.path.dirname(name))
            self.folders.add(name)
            self.entry(name, stat.S_IFDIR | 0o755)

    def file(self, name, source, mode=0o755):
        self.folder(os.path.dirname(name))
        with open(source, 'rb') as stream:
            self.entry(name, stat.S_IFREG | mode, stream.read())

    def text(self, name, content):
        self.folder(os.path.dirname(name))
        self.entry(name, stat.S_IFREG | 0o644, content.encode())

    def link(self, name, target):
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def write(self, path):
        self.entry('TRAILER!!!', 0)
        with open(path + '.new', 'wb') as stream:
            stream.write(b''.join(self.parts))
        os.rename(path + '.new', path)


def make(own_programs, files):
    """KERNEL and IMAGE, with our programs in it, by their names, and texts by their paths."""
    os.makedirs(PLACE, exist_ok=True)
    kernel = unpack_kernel()
    shutil.copy(glob.glob(os.path.join(kernel, 'boot', 'vmlinuz-*'))[0], KERNEL)
    archive = Archive()
    archive.entry('.', stat.S_IFDIR | 0o755)  # EAL loads nothing below a folder that all may write
    archive.file('init', os.path.join(SOURCES, 'init'))
    for folder in ['proc', 'sys', 'dev', 'tmp', 'var/run']:
        archive.folder(folder)
    programs = {**own_programs, 'ip': shutil.which('ip'), 'rdma': shutil.which('rdma')}
    for name, path in programs.items():
        archive.file('bin/' + name, path)
    archive.file('bin/busybox', shutil.which('busybox'))
    for name in APPLETS:
        archive.link('bin/' + name, 'busybox')
    plugins = [PROVIDER, *glob.glob(MEMPOOL % 'ring'), *glob.glob(MEMPOOL % 'stack')]
    for path in libraries([*programs.values(), *plugins]) + plugins:
        archive.file(path.lstrip('/'), path)
    for name, text in files.items():
        archive.text(name, text)
    archive.text('etc/libibverbs.d/rxe.driver', 'driver rxe\n')
    order = modules(kernel, MODULES)
    for name, path in order:
        archive.file(f'modules/{name}.ko', path, 0o644)
    archive.text('modules/order', ''.join(name + '\n' for name, _ in order))
    archive.write(IMAGE)

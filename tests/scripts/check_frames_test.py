#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judges of captured frames (check_frames.py): what they pass and what they find."""
import os
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts', 'dev'))
import check_frames
import check_vectors

# A datagram of one byte, 0x91, over IPv6: with its pad it starts as an EtherType that tshark knows.
LIKE_A_VLAN_TAG = bytes.fromhex(
    '024f0a4d0002024f0a4d000186dd6000000000241140fe80000000000000004f0afffe4d0001fe8000000000000000'
    '4f0afffe4d0002e38e12b7002400006430ffff00592b130000000211111111007615d2910000004153ec7a')


def with_payload(payload):
    """Four bytes in the place of its payload, all of them the program's."""
    frame = bytearray(LIKE_A_VLAN_TAG)
    frame[-8:-4] = payload
    frame[63] &= 0xcf  # the pad count
    return bytes(frame[:-4]) + check_vectors.icrc(bytes(frame))


@unittest.skipUnless(shutil.which('tshark'), 'tshark is not installed')
class Tshark(unittest.TestCase):

    def test_a_payload_is_not_guessed_at(self):
        guesses = [b'\x91\0\0\0', b'\x81\0\0\0', b'\x08\0\0\0', b'\x86\xdd\0\0', b'\x08\x06\0\0',
                   b'\x89\x15\0\0', b'\xfeSMB', b'\xe2\xd4\xc3\xd9', b'\xc0\0\0\0']
        frames = [LIKE_A_VLAN_TAG] + [with_payload(guess) for guess in guesses]
        self.assertEqual(check_frames.judge_tshark(frames), [''] * len(frames))

    def test_damage_is_found(self):
        copies = dict(check_frames.damages(LIKE_A_VLAN_TAG))
        self.assertGreater(len(copies), 3)
        for what, verdict in zip(copies, check_frames.judge_tshark(list(copies.values()))):
            self.assertTrue(verdict, what)


if __name__ == '__main__':
    unittest.main()

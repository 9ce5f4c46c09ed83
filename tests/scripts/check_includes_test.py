#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of scripts/dev/check_includes.py, with a tree that breaks it and one that keeps it."""
import contextlib
import io
import unittest

from sample_tree import CheckerTest
import check_includes
import source_text


def including(name):
    return f'#include {name}\n' if name.startswith('<') else f'#include "{name}"\n'


class Relation(CheckerTest):
    checker = check_includes

    def pair(self, path, good, bad):
        """`path` may include each of `good` and none of `bad`."""
        for name in good:
            with self.subTest(path=path, good=name):
                self.accept({path: including(name)})
        for name in bad:
            with self.subTest(path=path, bad=name):
                self.reject({path: '\n' + including(name)}, f'{path}:2', name.strip('<>'))

    def test_public_headers_are_the_lowest_floor(self):
        self.pair('include/lambdacast/a.h', ['lambdacast/b.h', '<span>'],
                  ['base/b.h', 'wire/b.h', 'group/b.h', 'rack/b.h', '../../lib/base/b.h',
                   '<rte_mbuf.h>', '<thread>', '<infiniband/verbs.h>'])
        self.reject({'include/lambdacast/a.h': including('app/x/b.h')}, 'include/lambdacast/a.h:1',
                    'nothing includes app')
        for path in ('lib/base/a.h', 'lib/wire/a.h', 'lib/group/a.h', 'lib/sim/a.h', 'lib/rack/a.h',
                     'drivers/net/odbss/a.h', 'drivers/verbs/preload/a.h', 'app/x/a.cc'):
            self.pair(path, ['lambdacast/b.h'], [])
            self.accept({path: including('lambdacast/b.h'), 'include/lambdacast/b.h': '',
                         'app/lambdacast/b.h': ''})
        self.reject({'include/a.h': ''}, 'include/a.h:1', 'no place')

    def test_the_row_from_base_to_sim(self):
        self.pair('lib/base/a.h', ['base/b.h', '<vector>'], ['counters/a.h', 'wire/a.h', 'sim/a.h'])
        self.pair('lib/counters/a.h', ['base/b.h'], ['wire/a.h', 'fabric/a.h'])
        self.pair('lib/wire/a.cc', ['base/b.h', 'counters/b.h'],
                  ['wdm/a.h', 'config/a.h', 'node/a.h'])
        self.pair('lib/config/a.h', ['wire/b.h', 'wdm/b.h', 'fabric/b.h', 'neighbor/b.h',
                                     'reliability/b.h', 'group/b.h'],
                  ['node/a.h', 'sim/a.h', 'dpdk/a.h', '<rte_mbuf.h>', '<chrono>'])
        self.pair('lib/node/a.h', ['wire/b.h', 'reliability/b.h', 'neighbor/b.h'],
                  ['config/a.h', 'sim/a.h', 'fabric/a.h', 'dpdk/a.h'])
        self.pair('lib/sim/a.h', ['node/b.h', 'ordering/b.h', 'config/b.h', 'base/b.h'],
                  ['fabric/a.h', 'dpdk/a.h'])

    def test_boost_is_for_the_checkers_of_fabrics(self):
        boost = '<boost/graph/adjacency_list.hpp>'
        self.pair('lib/sim/fabrics/check_congest.cc', [boost], [])
        for path in ('lib/sim/fabrics/check_congest.h', 'lib/sim/fabrics/network.h',
                     'lib/sim/check/check_a.cc', 'lib/congest/a.h', 'app/x/a.cc'):
            self.pair(path, [], [boost])

    def test_siblings_never_include_one_another(self):
        for sibling in check_includes.SIBLINGS:
            others = [f'{name}/b.h' for name in check_includes.SIBLINGS if name != sibling]
            self.pair(f'lib/{sibling}/a.h', ['base/b.h', 'counters/b.h', 'wire/b.h'],
                      others + ['config/b.h', 'node/b.h'])

    def test_wdm_and_fabric_stand_on_base(self):
        for name in ('wdm', 'fabric'):
            self.pair(f'lib/{name}/a.h', ['base/b.h', f'{name}/b.h'], ['counters/b.h', 'wire/b.h'])

    def test_the_dpdk_side_stands_on_the_pure_libraries(self):
        for name in check_includes.DPDK_LIBRARIES:
            self.pair(f'lib/{name}/a.h', ['node/b.h', 'fabric/b.h', '<rte_ring.h>'],
                      ['drivers/net/odbss/b.h'])

    def test_the_dpdk_side_has_floors(self):
        self.pair('lib/dpdk/a.h', [], ['capture/b.h', 'rack/b.h', 'telemetry/b.h'])
        self.pair('lib/capture/a.h', ['dpdk/b.h'], ['rack/b.h', 'console/b.h'])
        self.pair('lib/rack/a.h', ['dpdk/b.h', 'capture/b.h'], ['telemetry/b.h'])

    def test_nothing_stands_on_what_other_programs_link(self):
        self.pair('lib/embed/a.h', ['rack/b.h', 'dpdk/b.h', 'lambdacast/b.h'],
                  ['telemetry/b.h', 'console/b.h', 'drivers/net/odbss/b.h'])
        self.pair('lib/console/a.h', ['rack/b.h'], ['../embed/b.h'])

    def test_drivers(self):
        self.pair('drivers/net/odbss/a.h', ['base/b.h', 'wdm/b.h', 'fabric/b.h', '<ethdev_vdev.h>'],
                  ['wire/b.h', 'counters/b.h', 'dpdk/b.h'])
        self.pair('drivers/net/a.h', ['base/b.h', '<rte_kvargs.h>'], ['wire/b.h', 'fabric/b.h'])
        self.accept({'drivers/net/odbss/a.h': including('../a.h'), 'drivers/net/a.h': ''})
        self.pair('drivers/verbs/preload/a.h', ['base/b.h', 'wire/b.h', 'wdm/b.h', 'fabric/b.h',
                                        '<infiniband/verbs.h>'],
                  ['config/b.h', 'node/b.h', '<rte_mbuf.h>'])

    def test_app_may_use_all_and_is_used_by_none(self):
        self.pair('app/lambdacast/a.cc', ['rack/b.h', 'drivers/net/odbss/b.h', 'sim/b.h',
                                          'app/lambdacast/b.h', '<rte_eal.h>'], [])
        for path in ('lib/dpdk/a.h', 'drivers/net/odbss/a.h', 'lib/base/a.h'):
            self.pair(path, [], ['app/lambdacast/b.h'])

    def test_relative_paths_do_not_hide_the_target(self):
        self.accept({'lib/wire/a.h': including('b.h'), 'lib/wire/b.h': ''})
        self.reject({'lib/wire/a.h': including('../wdm/b.h')}, 'lib/wire/a.h:1', 'wdm')
        self.reject({'lib/base/a.h': including('../../app/x/b.h'), 'app/x/b.h': ''},
                    'lib/base/a.h:1', 'nothing includes app')
        self.reject({'lib/base/a.h': including('lib/wire/b.h')}, 'lib/base/a.h:1', 'wire')

    def test_errors_say_why(self):
        self.reject({'lib/group/a.h': including('ordering/b.h')}, 'lib/group/a.h:1', 'siblings')
        self.reject({'lib/group/a.h': including('sim/b.h')}, 'lib/group/a.h:1', 'group may include')
        self.reject({'lib/base/a.h': including('sim/b.h')}, 'lib/base/a.h:1',
                    'base may include include/lambdacast')
        self.reject({'include/lambdacast/a.h': including('base/b.h')}, 'include/lambdacast/a.h:1',
                    'no other library')

    def test_a_library_without_a_place(self):
        self.reject({'lib/a.h': ''}, 'lib/a.h:1', 'no place')
        self.reject({'drivers/misc/a.h': ''}, 'drivers/misc/a.h:1', 'no place')
        self.reject({'lib/misc/a.h': ''}, 'lib/misc/a.h:1', 'no place')

    def test_comments_and_strings_are_no_includes(self):
        self.accept({'lib/base/a.h': '// #include "wire/a.h"\n/*\n#include "wire/a.h"\n*/\n'})
        self.reject({'lib/base/a.h': '/* text */ \n#  include "wire/a.h"  // why\n'},
                    'lib/base/a.h:2', 'wire/a.h')

    def test_tests_may_include_anything(self):
        self.accept({'lib/base/a.h': '', 'tests/unit/base/a_test.cc': including('sim/a.h')})


class Purity(CheckerTest):
    checker = check_includes

    def test_dpdk_stays_on_its_side(self):
        for name in ('<rte_ring.h>', '<ethdev_driver.h>', '<bus_vdev_driver.h>', '<cmdline.h>'):
            self.reject({'lib/wire/a.h': including(name)}, 'lib/wire/a.h:1', 'DPDK')
            self.reject({'lib/fabric/a.h': including(name)}, 'lib/fabric/a.h:1', 'DPDK')
            self.accept({'lib/console/a.h': including(name)})

    def test_verbs_headers(self):
        self.reject({'app/x/a.cc': including('<infiniband/verbs.h>')}, 'app/x/a.cc:1', 'verbs')

    def test_no_clock_thread_or_console_header(self):
        for name in ('<thread>', '<mutex>', '<chrono>', '<iostream>', '<time.h>', '<sys/mman.h>'):
            self.reject({'lib/sim/a.h': including(name)}, 'lib/sim/a.h:1', 'pure library')
            self.accept({'lib/fabric/a.h': including(name)})
            self.accept({'lib/dpdk/a.h': including(name)})

    def test_no_clock_or_thread_by_name(self):
        for name in ('steady_clock::now()', 'clock_gettime(0, &t)', 'time(nullptr)',
                     'std::jthread t', 'thread_local int t'):
            self.reject({'lib/wire/a.cc': f'\nauto x = {name};\n'}, 'lib/wire/a.cc:2', 'pure')
            self.accept({'lib/fabric/a.cc': f'auto x = {name};\n'})
        self.accept({'lib/wire/a.cc': '// steady_clock\nauto s = "std::thread"; int time(int);\n'})

    def test_no_hidden_randomness(self):
        for text in ('std::random_device d;', 'int i = rand();', 'getrandom(p, 8, 0);'):
            self.reject({'lib/fabric/a.cc': text + '\n'}, 'lib/fabric/a.cc:1', 'generator')
        self.accept({'app/x/a.cc': 'std::random_device d;\n'})
        self.accept({'lib/sim/a.cc': '#include <random>\nstd::mt19937_64 r; int operand(int);\n'})


class Report(unittest.TestCase):
    def code(self, errors, checked):
        with contextlib.redirect_stdout(io.StringIO()):
            return source_text.report('check', errors, checked)

    def test_exit_codes(self):
        self.assertEqual(self.code([], 3), 0)
        self.assertEqual(self.code(['a.h:1: wrong'], 3), 1)
        self.assertEqual(self.code([], 0), 1, 'a check that saw no file has not passed')


if __name__ == '__main__':
    unittest.main()

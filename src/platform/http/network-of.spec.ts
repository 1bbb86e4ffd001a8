import { expect, it } from 'vitest';
import { networkOf } from './network-of.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::'],
  ['2001:db8:1:3::1', '2001:db8:1:3::'],
  ['fe80::1%eth0', 'fe80::'],
  ['unknown', 'unknown'],
])('networkOf maps %s to %s', (address, network) => expect(networkOf(address)).toBe(network));

import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { checkAddress } from './network-address.js';

const none = new BlockList();
const everything = new BlockList();
everything.addSubnet('0.0.0.0', 0, 'ipv4');
everything.addSubnet('::', 0, 'ipv6');

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
const inside = (...prefix: number[]) =>
  fc
    .tuple(...prefix.map((value) => fc.constant(value)), ...Array(4 - prefix.length).fill(octet))
    .map((o) => o.join('.'));
const groups = (address: string) => {
  const [a, b, c, d] = address.split('.').map(Number);
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
};
const carriers: [string, (address: string) => string][] = [
  ['IPv4-mapped', (a) => `::ffff:${a}`],
  ['IPv4-mapped in hexadecimal', (a) => `::ffff:${groups(a).join(':')}`],
  ['IPv4-mapped in brackets', (a) => `[::ffff:${a}]`],
  ['IPv4-translated', (a) => `::ffff:0:${groups(a).join(':')}`],
  ['NAT64', (a) => `64:ff9b::${a}`],
  ['6to4', (a) => `2002:${groups(a).join(':')}::1`],
  [
    'Teredo',
    (a) =>
      `2001:0:4136:e378:8000:63bf:${groups(a)
        .map((g) => (0xffff ^ parseInt(g, 16)).toString(16))
        .join(':')}`,
  ],
];

describe('checkAddress', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '[2a00:1450:4001:81b::200e]'])(
    'allows the public %s',
    (address) => {
      expect(checkAddress(address, none)).toBeNull();
    },
  );

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '64:ff9b:1::a00:1',
    '2001:db8::1',
    '0177.0.0.1',
    '0x7f.1',
  ])('rejects the private %s unless the operator allows it', (address) => {
    expect(checkAddress(address, none)).toBe('private');
    expect(checkAddress(address, everything)).toBeNull();
  });

  it.each([
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '100.100.100.200',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
  ])('always rejects %s, whatever the operator allows', (address) => {
    expect(checkAddress(address, everything)).toBe('never');
  });

  it.each(['', 'example.com', '1.2.3.4.5', '::g', '1.2.3.4:80'])('rejects "%s" as malformed', (text) => {
    expect(checkAddress(text, everything)).toBe('malformed');
  });

  it('allows exactly the networks that the operator lists', () => {
    const allowed = new BlockList();
    allowed.addSubnet('10.1.0.0', 16, 'ipv4');
    fc.assert(fc.property(inside(10, 1), (address) => checkAddress(address, allowed) === null));
    fc.assert(fc.property(inside(10, 2), (address) => checkAddress(address, allowed) === 'private'));
    fc.assert(fc.property(inside(10, 1), (address) => checkAddress(`::ffff:${address}`, allowed) === null));
  });

  it.each(carriers)('treats an address embedded as %s like the address itself', (_name, carry) => {
    fc.assert(
      fc.property(
        ipv4.filter((a) => !/^0\.0\.0\.[01]$/.test(a)),
        (address) => {
          expect(checkAddress(carry(address), none)).toBe(checkAddress(address, none));
          expect(checkAddress(carry(address), everything)).toBe(checkAddress(address, everything));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('always rejects a link-local address, in any embedding', () => {
    fc.assert(
      fc.property(
        inside(169, 254),
        fc.constantFrom(...carriers),
        (address, [, carry]) => checkAddress(carry(address), everything) === 'never',
      ),
    );
  });
});

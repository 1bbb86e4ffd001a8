import type { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why an address may not be reached; null: it may. */
export type AddressRejection = null | 'malformed' | 'never' | 'private';

/** Metadata services of clouds that do not live in a link-local range: whoever reaches them holds the machine's rights. */
const metadataServices = ['fd00:ec2::254', '100.100.100.200', '168.63.129.16'].map((address) =>
  ipaddr.parse(address).toNormalizedString(),
);
const unreachableRanges = new Set(['linkLocal', 'unspecified', 'broadcast', 'multicast', 'discard']);

/**
 * Public unicast addresses may be reached. Link-local ones, multicast and the metadata services of clouds never; everything
 * else that is not public (private, loopback, carrier-grade NAT, reserved) only where the operator's list names it.
 * An IPv6 address that carries an IPv4 one is judged by what it carries, since a translator on the way delivers it there.
 */
export function checkAddress(text: string, allowed: BlockList): AddressRejection {
  // A zone (fe80::1%eth0) only makes sense for link-local addresses
  const address = parseAddress(text.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  if (!address) return 'malformed';
  const inner = embeddedIpv4(address) ?? address;
  if (unreachableRanges.has(inner.range()) || metadataServices.includes(inner.toNormalizedString())) return 'never';
  if (inner.range() === 'unicast') return null;
  return allowed.check(inner.toString(), inner.kind()) ? null : 'private';
}

const parseAddress = (text: string) => (ipaddr.isValid(text) ? ipaddr.parse(text) : null);

/** IPv4-mapped and -compatible (RFC 4291), IPv4-translated (RFC 6145), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380). */
function embeddedIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | null {
  if (address.kind() === 'ipv4') return null;
  const bytes = address.toByteArray();
  const at = (offset: number) => new ipaddr.IPv4(bytes.slice(offset, offset + 4));
  const startsWith = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  if (bytes.slice(0, 10).every((byte) => byte === 0)) {
    const mark = bytes[10] * 256 + bytes[11];
    const isUnspecifiedOrLoopback =
      mark === 0 && bytes[12] === 0 && bytes[13] === 0 && bytes[14] === 0 && bytes[15] <= 1;
    if (mark === 0xffff || (mark === 0 && !isUnspecifiedOrLoopback)) return at(12);
  }
  if (startsWith(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0)) return at(12);
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return at(12); // the local-use prefix is simply not public
  if (startsWith(0x20, 0x02)) return at(2);
  if (startsWith(0x20, 0x01, 0, 0)) return new ipaddr.IPv4(bytes.slice(12, 16).map((byte) => byte ^ 0xff));
  return null;
}

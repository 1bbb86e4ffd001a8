import type { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why an address is rejected. null: it is permitted. */
export type AddressRejection = null | 'malformed' | 'never' | 'private';

/** Cloud metadata services outside of the link-local ranges. They hand out the machine's credentials. */
const metadataServices = ['fd00:ec2::254', '100.100.100.200', '168.63.129.16'].map((address) =>
  ipaddr.parse(address).toNormalizedString(),
);
const unreachableRanges = new Set(['linkLocal', 'unspecified', 'broadcast', 'multicast', 'discard']);

/**
 * Public unicast addresses are permitted. Link-local, multicast and cloud metadata addresses are always rejected. All
 * other addresses that are not public (private, loopback, carrier-grade NAT, reserved) are permitted only if the
 * operator lists them. An IPv6 address that embeds an IPv4 address is checked as that one, because a translator
 * delivers packets to it.
 */
export function checkAddress(text: string, allowed: BlockList): AddressRejection {
  // only link-local addresses have a zone (fe80::1%eth0), so that it can be ignored
  const address = parseAddress(text.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  if (!address) return 'malformed';
  const inner = embeddedIpv4(address) ?? address;
  if (unreachableRanges.has(inner.range()) || metadataServices.includes(inner.toNormalizedString())) return 'never';
  if (inner.range() === 'unicast') return null;
  return allowed.check(inner.toString(), inner.kind()) ? null : 'private';
}

const parseAddress = (text: string) => (ipaddr.isValid(text) ? ipaddr.parse(text) : null);

/**
 * IPv4-mapped and -compatible (RFC 4291), IPv4-translated (RFC 6145), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC
 * 4380).
 */
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
  if (startsWith(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return at(12); // the local-use prefix is not public
  if (startsWith(0x20, 0x02)) return at(2);
  if (startsWith(0x20, 0x01, 0, 0)) return new ipaddr.IPv4(bytes.slice(12, 16).map((byte) => byte ^ 0xff));
  return null;
}

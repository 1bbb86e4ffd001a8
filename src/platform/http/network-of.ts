import ipaddr from 'ipaddr.js';

/**
 * The key for rate limits: the IPv4 address, or the /64 of an IPv6 address, because one subscriber usually has a whole
 * /64.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address); // converts IPv4-mapped IPv6 to IPv4
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/64`).toString();
}

import ipaddr from 'ipaddr.js';

/** Whom limits count: an address, and in IPv6 its network of 64 bits, since whoever has one address of it has all of them. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address); // IPv4 in IPv6's clothes is IPv4
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString().replace(/%.*$/, '')}/64`).toString();
}

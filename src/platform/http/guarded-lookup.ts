import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { type BlockList, isIPv6, type LookupFunction } from 'node:net';
import { checkAddress, type AddressRejection } from './network-address.js';
import { OutboundHttpError } from './outbound-http.error.js';

type DnsResolver = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A DNS lookup that returns only permitted addresses to the socket. */
export function guardedLookup(allowed: BlockList, resolve: DnsResolver = dns.lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const verdicts = addresses.map(({ address }) => checkAddress(address, allowed));
      const reachable = addresses.filter((_, index) => verdicts[index] === null);
      if (!reachable.length) return callback(addressRefused(hostname, addresses[0].address, verdicts[0]), '', 0);
      if (options.all) return callback(null, reachable);
      callback(null, reachable[0].address, reachable[0].family);
    });
  };
}

export function addressRefused(host: string, address: string, verdict: AddressRejection): OutboundHttpError {
  const where = host === address ? address : `${host} resolves to ${address}, which`;
  const why =
    verdict === 'private'
      ? `is in a private range. To allow it, set ALLOW_PRIVATE_NETWORKS=${address}/${isIPv6(address) ? 128 : 32} in the environment of the server, or add it to the list there, and restart the server`
      : 'is in a range that is always blocked (link-local, metadata, multicast)';
  return new OutboundHttpError('address-refused', `${where} ${why}`, false);
}

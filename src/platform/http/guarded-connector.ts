import net, { type BlockList } from 'node:net';
import { buildConnector } from 'undici';
import { addressRefused, guardedLookup } from './guarded-lookup.js';
import { checkAddress } from './network-address.js';

const connectMs = 10_000;

/** Checks literal addresses before connecting, names during the lookup, and the remote address of the open socket. */
export function guardedConnector(allowed: BlockList): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs, lookup: guardedLookup(allowed), allowH2: false });
  return (options, callback) => {
    const literal = net.isIP(options.hostname.replace(/^\[|\]$/g, '')) ? checkAddress(options.hostname, allowed) : null;
    if (literal) return callback(addressRefused(options.hostname, options.hostname, literal), null);
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      const { remoteAddress } = socket;
      const verdict = remoteAddress === undefined ? 'malformed' : checkAddress(remoteAddress, allowed);
      if (!verdict) return callback(null, socket);
      socket.destroy();
      callback(addressRefused(options.hostname, remoteAddress ?? 'an unknown address', verdict), null);
    });
  };
}

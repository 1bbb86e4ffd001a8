import { isIP, type BlockList } from 'node:net';
import { withinDeadline } from '../events/within-deadline.js';
import { addressRefused, guardedLookup } from './guarded-lookup.js';
import { checkAddress } from './network-address.js';
import { OutboundHttpError } from './outbound-http.error.js';

/**
 * The address that a program of the system may connect to in place of the name, checked like the addresses of our own
 * clients. The program has to be told to use this address, because its own lookup could return another one.
 */
export async function destinationAddress(host: string, allowed: BlockList, signal: AbortSignal): Promise<string> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal)) {
    const verdict = checkAddress(literal, allowed);
    if (verdict) throw addressRefused(literal, literal, verdict);
    return literal;
  }
  const lookup = new Promise<string>((resolve, reject) => {
    guardedLookup(allowed)(host, { all: false }, (error, address) => {
      if (!error) return resolve(String(address));
      if (error instanceof OutboundHttpError) return reject(error);
      reject(new OutboundHttpError('name-unknown', `the name ${host} could not be resolved`, false, error));
    });
  });
  return withinDeadline(signal, lookup);
}

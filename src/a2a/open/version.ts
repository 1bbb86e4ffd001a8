import type { Request } from 'express';
import { OpenError } from './errors.js';

export type OpenVersion = '1.0' | '0.3';
const known: readonly OpenVersion[] = ['1.0', '0.3'];
const name = 'A2A-Version';

/** As the caller says, in the header or in the address; patch numbers do not count. Undefined: it says nothing. */
export function askedVersion(request: Request): OpenVersion | undefined {
  const given = request.get(name) ?? request.query[name] ?? request.query[name.toLowerCase()];
  if (given === undefined || given === '') return undefined;
  const asked = typeof given === 'string' ? /^\s*(\d+\.\d+)(?:\.\d+)?\s*$/.exec(given)?.[1] : undefined;
  const version = known.find((one) => one === asked);
  if (version) return version;
  throw new OpenError('versionNotSupported', `This agent speaks A2A ${known.join(' and ')}.`);
}

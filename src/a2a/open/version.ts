import type { Request } from 'express';
import { OpenError } from './errors.js';

export type OpenVersion = '1.0' | '0.3';
const known: readonly OpenVersion[] = ['1.0', '0.3'];
const name = 'A2A-Version';

/** As the caller says, in the header or in the address. */
export const askedVersion = ({ headers, query }: Request): OpenVersion | undefined =>
  versionOf(headers[name.toLowerCase()] ?? query[name] ?? query[name.toLowerCase()]);

/** Patch numbers do not count. Undefined: nothing was said. */
export function versionOf(given: unknown): OpenVersion | undefined {
  if (given === undefined || given === '') return undefined;
  const asked = typeof given === 'string' ? /^\s*(\d+\.\d+)(?:\.\d+)?\s*$/.exec(given)?.[1] : undefined;
  const version = known.find((one) => one === asked);
  if (version) return version;
  throw new OpenError('versionNotSupported', `This agent speaks A2A ${known.join(' and ')}.`);
}

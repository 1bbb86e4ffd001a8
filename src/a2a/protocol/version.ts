import type { Request } from 'express';
import { A2aError } from './errors.js';

export type A2aVersion = '1.0' | '0.3';
const supportedVersions: readonly A2aVersion[] = ['1.0', '0.3'];
const versionHeader = 'A2A-Version';

/** Reads the header or the query. */
export const requestedVersion = ({ headers, query }: Request): A2aVersion | undefined =>
  parseA2aVersion(headers[versionHeader.toLowerCase()] ?? query[versionHeader] ?? query[versionHeader.toLowerCase()]);

/** Ignores patch numbers. Undefined: no version requested. */
export function parseA2aVersion(given: unknown): A2aVersion | undefined {
  if (given === undefined || given === '') return undefined;
  const number = typeof given === 'string' ? /^\s*(\d+\.\d+)(?:\.\d+)?\s*$/.exec(given)?.[1] : undefined;
  const version = supportedVersions.find((one) => one === number);
  if (version) return version;
  throw new A2aError('versionNotSupported', `This agent supports A2A ${supportedVersions.join(' and ')}.`);
}

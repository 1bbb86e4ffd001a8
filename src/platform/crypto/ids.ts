import { randomUUIDv7 } from 'node:crypto';
import { sha256 } from './digest.js';

/** UUIDv7: rows made later sort later, which keeps b-trees dense. */
export const newId = (): string => randomUUIDv7();

/** The same for the same names: a UUIDv8 (RFC 9562, section 5.8) from their SHA-256. */
export function derivedId(...names: string[]): string {
  const bytes = sha256(JSON.stringify(names)).subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

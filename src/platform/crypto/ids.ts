import { randomUUIDv7 } from 'node:crypto';
import { sha256 } from './digest.js';

/** UUIDv7: rows made later sort later, which keeps b-trees dense. */
export const newId = (): string => randomUUIDv7();

const maxTimestamp = 2 ** 48 - 1;

/** Sorts before every id that is made at that time or later; times before 1970 and after what an id can say are cut. */
export const firstIdAt = (at: number): string =>
  Math.min(Math.max(at, 0), maxTimestamp)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-7000-8000-000000000000');

/** When a row's id was made, in milliseconds since 1970. */
export const idTimestamp = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The same for the same names: a UUIDv8 (RFC 9562, section 5.8) from their SHA-256. */
export function derivedId(...names: string[]): string {
  const bytes = sha256(JSON.stringify(names)).subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

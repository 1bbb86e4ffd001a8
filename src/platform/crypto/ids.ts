import { randomUUIDv7 } from 'node:crypto';
import { sha256 } from './digest.js';

/** UUIDv7: newer rows sort later, which keeps B-trees dense. */
export const newId = (): string => randomUUIDv7();

const maxTimestamp = 2 ** 48 - 1;

/** Sorts before every id generated at or after this time. Clamped to the range that a UUIDv7 can hold. */
export const firstIdAt = (at: number): string =>
  Math.min(Math.max(at, 0), maxTimestamp)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-7000-8000-000000000000');

/** The creation time of an id, in milliseconds since 1970. */
export const idTimestamp = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** A deterministic id: a UUIDv8 (RFC 9562, section 5.8) from the SHA-256 of the names. */
export function derivedId(...names: string[]): string {
  const bytes = sha256(JSON.stringify(names)).subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Ids of `newId` are UUIDv7, so none is ever equal to a derived one. */
export const isDerivedId = (id: string): boolean => id[14] === '8';

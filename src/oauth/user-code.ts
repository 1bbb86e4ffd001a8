import { createHmac } from 'node:crypto';

/** Keyed, because an eight-letter code can be recovered quickly from a plain digest. */
export const userCodeHash = (key: Buffer, code: string): Buffer => createHmac('sha256', key).update(code).digest();

export const userCodePurpose = 'user codes';

/** Removes differences in case and dashes before the code is hashed. */
export const normalUserCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '');

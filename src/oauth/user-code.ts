import { createHmac } from 'node:crypto';

/** Keyed: eight letters that a person can type would be found from a plain digest in no time. */
export const userCodeHash = (key: Buffer, code: string): Buffer => createHmac('sha256', key).update(code).digest();

export const userCodePurpose = 'user codes';

/** As typed, whatever case and dashes: the way it is kept. */
export const normalUserCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z]/g, '');

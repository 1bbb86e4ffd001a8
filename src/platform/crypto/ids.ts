import { randomUUIDv7 } from 'node:crypto';

/** UUIDv7: rows made later sort later, which keeps b-trees dense. */
export const newId = (): string => randomUUIDv7();

import type { Mismatches, Verified } from './kit/statement-check.js';

/* Written by `npm run database:facts`. The compiler compares these types of the database with the declared ones. */

export type Statements = [];

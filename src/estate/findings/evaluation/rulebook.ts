import { sha256 } from '../../../platform/crypto/digest.js';
import { advisories, advisoriesAsOf } from '../advisories.js';
import type { ApprovedItem } from '../approved/approved-list.js';
import { rules } from '../rules.js';

/** Increment when a rule evaluates the same file differently. */
const edition = 2;

const builtIn = JSON.stringify([edition, rules.map(({ id }) => id), advisories, advisoriesAsOf]);

/** Hash of everything that evaluations depend on. A file evaluated with another rulebook is evaluated again. */
export const rulebookHash = (approved: readonly ApprovedItem[]): string =>
  sha256(JSON.stringify([builtIn, approved.map(({ kind, value }) => `${kind} ${value}`).sort()])).toString('base64url');

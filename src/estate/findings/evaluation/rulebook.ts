import { sha256 } from '../../../platform/crypto/digest.js';
import { advisories, advisoriesAsOf } from '../advisories.js';
import type { ApprovedItem } from '../approved/approved-list.js';
import { rules } from '../rules.js';

/** To be raised when a rule comes to another judgement of the same file. */
const edition = 1;

const ours = JSON.stringify([edition, rules.map(({ id }) => id), advisories, advisoriesAsOf]);

/** What files are judged by: whatever was judged by another one is judged again. */
export const rulebookHash = (approved: readonly ApprovedItem[]): string =>
  sha256(JSON.stringify([ours, approved.map(({ kind, value }) => `${kind} ${value}`).sort()])).toString('base64url');

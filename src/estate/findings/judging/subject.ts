import type { Found, RuleId } from '../found.js';

/** What a finding is about; whatever is gone with it is gone from the list. */
export interface Subject {
  fileId: string | null;
  entryId: string | null;
  serverId: string | null;
  connectionId: string | null;
}

/** A finding on its way into the table. `key` makes it the same when it is found again. */
export interface Finding extends Subject, Omit<Found, 'at'> {
  rule: RuleId;
  key: string;
}

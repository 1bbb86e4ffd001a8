import type { RuleMatch, RuleId } from '../rule.js';

/** What a finding is about; whatever is gone with it is gone from the list. */
export interface FindingSubject {
  fileId: string | null;
  entryId: string | null;
  serverId: string | null;
  connectionId: string | null;
}

/** A finding on its way into the table. `key` makes it the same when it is found again. */
export interface FindingRecord extends FindingSubject, Omit<RuleMatch, 'at'> {
  rule: RuleId;
  key: string;
}

import type { RuleMatch, RuleId } from '../rule.js';

/** The subject of a finding. The finding is removed together with its subject. */
export interface FindingSubject {
  fileId: string | null;
  entryId: string | null;
  serverId: string | null;
  connectionId: string | null;
}

/** A finding before it is stored. `key` identifies it across evaluations. */
export interface FindingRecord extends FindingSubject, Omit<RuleMatch, 'at'> {
  rule: RuleId;
  key: string;
}

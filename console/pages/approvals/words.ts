/* What the approval page without JavaScript says, too (src/console/approval.page.ts). */

/** Who called, as the ledger keeps it. */
export interface Caller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; id: string; name: string }[];
}

export const effects: Record<string, string> = {
  read: 'reads',
  write: 'changes something',
  destructive: 'may destroy something',
};
export const effectTones: Record<string, string> = { read: 'gray', write: 'blue', destructive: 'red' };

export const tiers: Record<string, string> = {
  confirm: 'confirmed by the person who is responsible',
  review: 'reviewed by someone who is not a requester',
};

export const states: Record<string, string> = {
  pending: 'Waits for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Ran out of time',
  void: 'Void',
};

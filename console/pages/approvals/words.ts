/* Shared wording with the approval page without JavaScript (src/console/approval.page.ts). */

/** The caller, as stored in the ledger. */
export interface Caller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; id: string; name: string }[];
}

export const effects: Record<string, string> = {
  read: 'Read-only',
  write: 'Write',
  destructive: 'Destructive',
};
export const effectTones: Record<string, string> = { read: 'gray', write: 'blue', destructive: 'red' };

export const tiers: Record<string, string> = {
  confirm: 'the responsible person confirms',
  review: 'a person other than the requester reviews',
};

export const states: Record<string, string> = {
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Void',
};

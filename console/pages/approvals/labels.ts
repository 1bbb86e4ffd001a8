/* Shared wording with the approval page without JavaScript (src/console/approval.page.ts). */

/** The caller, as stored in the ledger. */
export interface ApprovalCaller {
  kind: string;
  name: string;
  surface: string;
  chain: { kind: string; id: string; name: string }[];
}

export const effectNames: Record<string, string> = {
  read: 'Read-only',
  write: 'Write',
  destructive: 'Destructive',
};
export const effectTones: Record<string, string> = { read: 'gray', write: 'blue', destructive: 'red' };

export const tierNames: Record<string, string> = {
  confirm: 'the responsible person confirms',
  review: 'a person other than the requester reviews',
};

export const approvalStateTitles: Record<string, string> = {
  waiting: 'Waiting for an earlier step',
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Void',
};

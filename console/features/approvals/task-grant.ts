import { visible } from '../../kit/visible.ts';

export interface TaskGrant {
  id: string;
  tool: string;
  state: 'proposed' | 'active' | 'declined' | 'revoked' | 'ended';
  equalArguments: string[];
  freeArguments: string[];
  maxUses: number;
  uses: number;
  expiresAfterSeconds: number;
  expiresAt: string | null;
  endReason: string | null;
  approvedBy: { id: string; name: string | null }[];
  viewerCanRevoke: boolean;
}

export const taskGrantStateNames: Record<TaskGrant['state'], string> = {
  proposed: 'Proposed',
  active: 'Active',
  declined: 'Declined',
  revoked: 'Revoked',
  ended: 'Ended',
};

const list = (names: readonly string[]) => new Intl.ListFormat('en').format(names.map(visible));

/** "Further calls must have the approved title and project; description may differ." */
export function taskGrantTerms({ equalArguments, freeArguments }: Pick<TaskGrant, 'equalArguments' | 'freeArguments'>) {
  const same = equalArguments.length
    ? `Further calls must have the approved value of ${list(equalArguments)}`
    : 'Further calls must have no arguments';
  return freeArguments.length ? `${same}; ${list(freeArguments)} may differ.` : `${same}.`;
}

import { StateBadge } from '../../kit/state-badge.tsx';

interface DefinitionCounts {
  definitionCount: number;
  approvedDefinitionCount: number;
}

/** False also for a server that no file declares any more: nothing is left to approve. */
export const needsApproval = ({ definitionCount, approvedDefinitionCount }: DefinitionCounts): boolean =>
  approvedDefinitionCount < definitionCount;

/** Whether all, some or none of the definitions of a server are approved. */
export function ApprovalBadge({ server }: { server: DefinitionCounts }) {
  if (server.definitionCount === 0) return null;
  if (!needsApproval(server)) return <StateBadge state="approved" />;
  return <StateBadge state={server.approvedDefinitionCount ? 'partly_approved' : 'not_approved'} />;
}

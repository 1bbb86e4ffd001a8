import { StateBadge } from '../../../kit/state-badge.tsx';
import { useNow } from '../../../kit/when.tsx';

interface Credential {
  revokedAt: string | null;
  expiresAt: string | null;
}

export const isOver = ({ revokedAt, expiresAt }: Credential, now: number): boolean =>
  Boolean(revokedAt) || (expiresAt !== null && Date.parse(expiresAt) <= now);

/** Whether a credential still opens anything. */
export function Standing(credential: Credential) {
  const now = useNow();
  if (credential.revokedAt) return <StateBadge state="revoked" />;
  return <StateBadge state={isOver(credential, now) ? 'expired' : 'active'} />;
}

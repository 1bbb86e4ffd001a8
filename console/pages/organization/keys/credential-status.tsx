import { StateBadge } from '../../../kit/state-badge.tsx';
import { useNow } from '../../../kit/when.tsx';

interface Credential {
  revokedAt: string | null;
  expiresAt: string | null;
}

export const isInactive = ({ revokedAt, expiresAt }: Credential, now: number): boolean =>
  Boolean(revokedAt) || (expiresAt !== null && Date.parse(expiresAt) <= now);

/** Active, expired, or revoked. */
export function CredentialStatus(credential: Credential) {
  const now = useNow();
  if (credential.revokedAt) return <StateBadge state="revoked" />;
  return <StateBadge state={isInactive(credential, now) ? 'expired' : 'active'} />;
}

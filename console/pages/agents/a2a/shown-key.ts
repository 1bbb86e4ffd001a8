import type { A2aKey, Agent } from '../configuration-query.ts';

/** A key whose plain text is on the page. */
export interface ShownKey {
  id: string;
  key: string;
}

const isPast = (at: string) => Date.parse(at) <= Date.now();

/** Revoked or expired. */
export const isInactive = ({ revokedAt, expiresAt }: A2aKey): boolean =>
  revokedAt !== null || (expiresAt !== null && isPast(expiresAt));

export interface UsableKey {
  id: string;
  hint: string;
  agentName: string;
}

/** The keys that a new client can use, newest first. */
export const usableKeysOf = (agents: readonly Agent[]): UsableKey[] =>
  agents
    .filter(({ pausedAt }) => !pausedAt)
    .flatMap(({ name, keys }) => keys.map((key) => ({ ...key, agentName: name })))
    .filter((key) => !isInactive(key) && !key.pausedAt && !key.replacedAt)
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));

import { derivedId } from '../platform/crypto/ids.js';
import type { Principal } from '../principal/principal.js';

/**
 * Whose tasks are one's own: an agent identity's, with any of its keys; a person's through one product, so that another
 * product of the same person does not see them.
 */
export function ownerOf({ agentId, memberId, clientId }: Principal): string {
  if (agentId) return agentId;
  if (memberId) return clientId ? derivedId('task owner', memberId, clientId) : memberId;
  throw new Error('a task needs an agent identity or a member as its owner');
}

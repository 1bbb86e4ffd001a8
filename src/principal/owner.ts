import { derivedId } from '../platform/crypto/ids.js';
import type { Principal } from '../principal/principal.js';

/**
 * The owner of a caller's tasks: the agent identity, whichever of its keys it uses, or the member. A member who uses a
 * product gets a separate owner per product, so that one product does not see the tasks of another.
 */
export function ownerOf({ agentId, memberId, clientId }: Principal): string {
  if (agentId) return agentId;
  if (memberId) return clientId ? derivedId('task owner', memberId, clientId) : memberId;
  throw new Error('a task needs an agent identity or a member as its owner');
}

import type { ChainLink, Principal } from '../principal/principal.js';
import { restorePrincipal, type StoredPrincipal, toStoredPrincipal } from '../principal/stored-principal.js';

/** All parts of a principal that credential revalidation reads. */
export const callerKey = (principal: Principal) => [toStoredPrincipal(principal), principal.sessionId];

/** The caller of a stored call, for a new decision. */
export const toCallPrincipal = ({ tenantId, caller }: { tenantId: string; caller: StoredPrincipal }): Principal =>
  restorePrincipal(tenantId, caller);

/** Calls with the same identity share an owner: an agent with any of its keys, or a member with one client. */
export function callerIdentity({ kind, agentId, memberId, clientId }: Principal): string {
  if (agentId) return `agent:${agentId}`;
  if (memberId) return clientId ? `member:${memberId} client:${clientId}` : `member:${memberId}`;
  return kind;
}

/** The principal that a configuration delegates with: the same person or agent, with the configuration in the chain. */
export const delegatedPrincipal = (
  principal: Principal,
  { id, name }: Pick<ChainLink, 'id' | 'name'>,
  toId: string,
): Principal => ({
  ...principal,
  ...(principal.configurationId === undefined ? {} : { configurationId: toId }),
  chain: [...principal.chain, { kind: 'configuration', id, name }],
});

/** A configuration that delegated a task, and the principal that it acted as. */
export interface Delegator {
  id: string;
  name: string;
  principal: Principal;
}

/** Null: the call was not delegated. */
export function findDelegator(principal: Principal): Delegator | null {
  const { chain } = principal;
  const last = chain.at(-1);
  if (last?.kind !== 'configuration') return null;
  const { id, name } = last;
  const bound = principal.configurationId === undefined ? {} : { configurationId: id };
  return { id, name, principal: { ...principal, ...bound, chain: chain.slice(0, -1) } };
}

/** The ids of the configurations that delegated the task of a call. */
export function listDelegatorIds({ chain }: Pick<Principal, 'chain'>): string[] {
  const direct = chain.findLastIndex(({ kind }) => kind !== 'configuration');
  return chain.slice(direct + 1).map(({ id }) => id);
}

import type { ChainLink, Principal } from '../principal/principal.js';
import type { StoredCaller } from './tool-call.entity.js';

/** What is kept of a principal with its call. A session is not: who signs out has not taken back what was asked for. */
export function toStoredCaller({
  kind,
  name,
  memberId,
  agentId,
  configurationId,
  keyId,
  clientId,
  grantId,
  surface,
  scopes,
  chain,
}: Principal): StoredCaller {
  return { kind, name, memberId, agentId, configurationId, keyId, clientId, grantId, surface, scopes, chain };
}

/** The caller again, to decide anew. Without permissions: a call needs none, and none is carried over. */
export const toCallPrincipal = ({ tenantId, caller }: { tenantId: string; caller: StoredCaller }): Principal => ({
  ...caller,
  tenantId,
  permissions: new Set(),
});

/** Whose calls are one's own: an agent identity's with any of its keys, a member's with one client. */
export function callerIdentity({ kind, agentId, memberId, clientId }: Principal): string {
  if (agentId) return `agent:${agentId}`;
  if (memberId) return clientId ? `member:${memberId} client:${clientId}` : `member:${memberId}`;
  return kind;
}

/** As whom a configuration hands a task on to another one: the same person or agent, with itself in the chain. */
export const delegatedPrincipal = (
  principal: Principal,
  { id, name }: Pick<ChainLink, 'id' | 'name'>,
  toId: string,
): Principal => ({
  ...principal,
  ...(principal.configurationId === undefined ? {} : { configurationId: toId }),
  chain: [...principal.chain, { kind: 'configuration', id, name }],
});

/** A configuration that handed a task on, and as whom it acted. */
export interface Delegator {
  id: string;
  name: string;
  principal: Principal;
}

/** Null: nobody handed it on. */
export function findDelegator(principal: Principal): Delegator | null {
  const { chain } = principal;
  const last = chain.at(-1);
  if (last?.kind !== 'configuration') return null;
  const { id, name } = last;
  const bound = principal.configurationId === undefined ? {} : { configurationId: id };
  return { id, name, principal: { ...principal, ...bound, chain: chain.slice(0, -1) } };
}

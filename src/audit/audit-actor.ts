import type { Principal } from '../principal/principal.js';

/** The actor as audit events store it. It holds names, because the member, key or client may be deleted later. */
export function auditActorOf(principal: Principal) {
  const { kind, name, memberId, agentId, configurationId, keyId, clientId, surface, chain } = principal;
  return {
    kind,
    name,
    memberId,
    agentId,
    configurationId,
    keyId,
    clientId,
    surface,
    ...(chain.length ? { chain } : {}),
  };
}

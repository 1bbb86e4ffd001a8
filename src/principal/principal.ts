import type { Permission } from './permissions.js';

export type Surface = 'a2a' | 'mcp' | 'api' | 'cli' | 'console' | 'slack' | 'ingest' | 'system';
/** Scopes of access tokens (`api:…`) and of tenant keys. */
export type AccessScope = 'api:read' | 'api:write' | 'documents' | 'estate';

/** A link of the delegation chain of a call. The root person is first; a `configuration` has delegated the task. */
export interface ChainLink {
  kind: 'member' | 'agent' | 'client' | 'configuration';
  id: string;
  name: string;
}

/**
 * The authenticated actor. A guard creates it from one credential; it is the first argument of every public service
 * method.
 */
export interface Principal {
  tenantId: string;
  kind: 'member' | 'agent' | 'system';
  /** For display, and for audit events. */
  name: string;
  memberId?: string;
  agentId?: string;
  /** The configuration a key is bound to. */
  configurationId?: string;
  keyId?: string;
  clientId?: string;
  /** The OAuth grant of the client's token. */
  grantId?: string;
  sessionId?: string;
  /** The time of the last authentication. Required to be recent before a key is shown. */
  freshAt?: Date;
  surface: Surface;
  scopes: readonly AccessScope[];
  permissions: ReadonlySet<Permission>;
  chain: readonly ChainLink[];
  requestId?: string;
}

/** The product itself: sweeps, syncs, the first start. It has no permissions, so that it cannot decide anything. */
export const systemPrincipal = (tenantId: string, name: string): Principal => ({
  tenantId,
  kind: 'system',
  name,
  surface: 'system',
  scopes: [],
  permissions: new Set(),
  chain: [],
});

import type { Permission } from './permissions.js';

export type Surface = 'a2a' | 'mcp' | 'api' | 'cli' | 'console' | 'ingest' | 'system';
/** Of access tokens (`api:…`), and of the tenant's keys. */
export type AccessScope = 'api:read' | 'api:write' | 'documents' | 'estate';

/** One of those through whom a call came. The root person stays first; a `configuration` has handed the task on. */
export interface ChainLink {
  kind: 'member' | 'agent' | 'client' | 'configuration';
  id: string;
  name: string;
}

/** Who acts: filled by a guard from one credential, the first argument of every public service method. */
export interface Principal {
  tenantId: string;
  kind: 'member' | 'agent' | 'system';
  /** For people, and for the records. */
  name: string;
  memberId?: string;
  agentId?: string;
  /** The configuration a key is bound to. */
  configurationId?: string;
  keyId?: string;
  clientId?: string;
  /** The authorization that a client's token hangs on. */
  grantId?: string;
  sessionId?: string;
  /** When the person last proved who they are; asked for before a key is shown. */
  freshAt?: Date;
  surface: Surface;
  scopes: readonly AccessScope[];
  permissions: ReadonlySet<Permission>;
  chain: readonly ChainLink[];
  requestId?: string;
}

/** The product itself: sweeps, pulls, the first start. It holds no permission, so it decides nothing. */
export const systemPrincipal = (tenantId: string, name: string): Principal => ({
  tenantId,
  kind: 'system',
  name,
  surface: 'system',
  scopes: [],
  permissions: new Set(),
  chain: [],
});

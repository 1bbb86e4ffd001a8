import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { cliClient, cliClientId } from '../client-facts.js';
import { GrantsService } from '../grants.service.js';
import type { LiveGrant } from '../grants.sql.js';
import { OauthClient } from '../client.entity.js';
import { clientNotFound, grantNotFound } from './clients.error.js';
import { selectConnectedProducts, type ConnectedProductRow } from './connected-products.sql.js';
import { redirectHost } from './redirect-uri.js';

/** A product that acts for a person, or can do so without new consent. */
export interface ConnectedProduct {
  id: string;
  name: string;
  description: string | null;
  /** The hosts of its redirect URIs. */
  hosts: string[];
  /** The configuration of a product that targets MCP. */
  configuration: string | null;
  isDisabled: boolean;
  scopes: string[];
  connectedAt: Date;
  /** When its last token was issued; null if it has no live grant. */
  usedAt: Date | null;
}

/** Lists the products that act for people, and lets the person or an administrator end their access. */
@Injectable()
export class ConnectedProductsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly grants: GrantsService,
  ) {}

  /** The person's own products by name, without their terminals. */
  async list(principal: Principal): Promise<ConnectedProduct[]> {
    const { tenantId, memberId } = requireSession(principal);
    const grants = Map.groupBy(await this.grants.list(principal, { memberId }), ({ clientId }) => clientId);
    grants.delete(cliClientId); // see ConnectedDevicesService
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(selectConnectedProducts, [tenantId, memberId, [...grants.keys()]]),
    );
    return rows.map((row) => toConnectedProduct(row, grants.get(row.id) ?? []));
  }

  /** Ends the person's grants to the product and the remembered consent. */
  async disconnect(principal: Principal, clientId: string): Promise<void> {
    const { memberId } = requireSession(principal);
    const product = (await this.list(principal)).find(({ id }) => id === clientId);
    if (!product) return; // disconnected already, in another window
    await this.database.tenant(principal, (tx) => this.revokeGrants(tx, principal, { memberId, client: product }));
  }

  /** For administrators: ends one grant of any member. */
  revoke(principal: Principal, grantId: string): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const [ended] = await this.grants.revoke(tx, principal, { grantId });
      if (!ended) throw grantNotFound('The grant does not exist.');
      const { clientId, memberId } = ended;
      const client = clientId === cliClientId ? cliProduct : await this.getClient(tx, principal, clientId);
      await this.record(tx, principal, client, { memberId, grantId });
    });
  }

  /** For administrators: ends all grants of one member to one product. Returns their number. */
  revokeAll(principal: Principal, memberId: string, clientId: string): Promise<number> {
    return this.database.tenant(principal, async (tx) => {
      const client = await this.getClient(tx, principal, clientId);
      return this.revokeGrants(tx, principal, { memberId, client });
    });
  }

  private async revokeGrants(
    tx: Tx,
    principal: Principal,
    { memberId, client }: { memberId: string; client: NamedClient },
  ): Promise<number> {
    const { length: grants } = await this.grants.revoke(tx, principal, { memberId, clientId: client.id });
    await this.record(tx, principal, client, { memberId, grants });
    return grants;
  }

  private async getClient(tx: Tx, { tenantId }: Principal, id: string): Promise<NamedClient> {
    const client = await tx.findOneBy(OauthClient, { tenantId, id });
    if (!client) throw clientNotFound('The OAuth client does not exist.');
    return client;
  }

  private record(
    tx: Tx,
    principal: Principal,
    { id, name }: NamedClient,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'grant.revoked', subject: { type: 'client', id, name }, detail });
  }
}

type NamedClient = Pick<OauthClient, 'id' | 'name'>;

const cliProduct: NamedClient = { id: cliClientId, name: cliClient.client_name };

function toConnectedProduct(
  { redirectUris, agreedTo, agreedAt, ...product }: ConnectedProductRow,
  grants: LiveGrant[],
): ConnectedProduct {
  const began = [...grants.map(({ grantedAt }) => grantedAt), ...(agreedAt ? [agreedAt] : [])];
  const used = grants.map(({ usedAt }) => usedAt.getTime());
  return {
    ...product,
    hosts: [...new Set(redirectUris.map(redirectHost))],
    scopes: [...new Set([...(agreedTo ?? []), ...grants.flatMap(({ scopes }) => scopes)])].sort(),
    connectedAt: new Date(Math.min(...began.map((date) => date.getTime()))),
    usedAt: used.length ? new Date(Math.max(...used)) : null,
  };
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { Database } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { cliClient, cliClientId } from '../client-facts.js';
import { GrantsService, type LiveGrant } from '../grants.service.js';
import { OauthClient } from './client.entity.js';
import { clientNotFound, grantNotFound } from './clients.error.js';
import { connectedProducts, type ProductRow } from './connected-products.sql.js';
import { redirectHost } from './redirect-uri.js';

/** A product that acts for a person, or may do so without asking again. */
export interface ConnectedProduct {
  id: string;
  name: string;
  description: string | null;
  /** Where it sends people back to. */
  hosts: string[];
  /** Of a product that reaches one configuration. */
  configuration: string | null;
  isDisabled: boolean;
  scopes: string[];
  connectedAt: Date;
  /** When it last had a token; null: it holds none now. */
  usedAt: Date | null;
}

/** What people let products do for them, and how it ends: by themselves, or by an administrator. */
@Injectable()
export class ConnectedProducts {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly grants: GrantsService,
  ) {}

  /** One's own, by name; our own terminal client first. */
  async list(principal: Principal): Promise<ConnectedProduct[]> {
    const { tenantId, memberId } = requireSession(principal);
    const grants = Map.groupBy(await this.grants.list(principal, { memberId }), ({ clientId }) => clientId);
    const terminal = grants.get(cliClientId);
    grants.delete(cliClientId);
    const rows = await this.database.tenant(principal, (tx) =>
      tx.query<ProductRow[]>(connectedProducts, [tenantId, memberId, [...grants.keys()]]),
    );
    const products = rows.map((row) => connected(row, grants.get(row.id) ?? []));
    return terminal ? [connected(ourTerminal, terminal), ...products] : products;
  }

  /** One's own: all that it holds, and what it would have got without asking. */
  async disconnect(principal: Principal, clientId: string): Promise<void> {
    const { memberId } = requireSession(principal);
    const product = (await this.list(principal)).find(({ id }) => id === clientId);
    if (!product) return; // disconnected already, in another window
    await this.database.tenant(principal, (tx) => this.end(tx, principal, { memberId, client: product }));
  }

  /** One authorization of anybody's. */
  revoke(principal: Principal, grantId: string): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const [ended] = await this.grants.revoke(tx, principal, { grantId });
      if (!ended) throw grantNotFound('There is no such grant.');
      const { clientId, memberId } = ended;
      const client = clientId === cliClientId ? ourTerminal : await this.client(tx, principal, clientId);
      await this.record(tx, principal, client, { memberId, grantId });
    });
  }

  /** All between one person and one product, of anybody. Returns how many there were. */
  revokeOf(principal: Principal, memberId: string, clientId: string): Promise<number> {
    return this.database.tenant(principal, async (tx) => {
      const client = await this.client(tx, principal, clientId);
      return this.end(tx, principal, { memberId, client });
    });
  }

  private async end(
    tx: EntityManager,
    principal: Principal,
    { memberId, client }: { memberId: string; client: Named },
  ): Promise<number> {
    const { length: grants } = await this.grants.revoke(tx, principal, { memberId, clientId: client.id });
    await this.record(tx, principal, client, { memberId, grants });
    return grants;
  }

  private async client(tx: EntityManager, { tenantId }: Principal, id: string): Promise<Named> {
    const client = await tx.findOneBy(OauthClient, { tenantId, id });
    if (!client) throw clientNotFound('There is no such client.');
    return client;
  }

  private record(
    tx: EntityManager,
    principal: Principal,
    { id, name }: Named,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'grant.revoked', subject: { type: 'client', id, name }, detail });
  }
}

type Named = Pick<OauthClient, 'id' | 'name'>;

const ourTerminal: ProductRow = {
  id: cliClientId,
  name: cliClient.client_name,
  description: null,
  redirectUris: [],
  configuration: null,
  isDisabled: false,
  agreedTo: null,
  agreedAt: null,
};

function connected(
  { redirectUris, agreedTo, agreedAt, ...product }: ProductRow,
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

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { cliClient, cliClientId } from '../client-facts.js';
import { GrantsService, type LiveGrant } from '../grants.service.js';
import { OauthClient } from './client.entity.js';
import { clientNotFound, grantNotFound } from './clients.error.js';
import { selectConnectedProducts, type ConnectedProductRow } from './connected-products.sql.js';
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
export class ConnectedProductsService {
  constructor(
    private readonly database: DatabaseService,
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
      tx.query<ConnectedProductRow[]>(selectConnectedProducts, [tenantId, memberId, [...grants.keys()]]),
    );
    const products = rows.map((row) => toConnectedProduct(row, grants.get(row.id) ?? []));
    return terminal ? [toConnectedProduct(cliProduct, terminal), ...products] : products;
  }

  /** One's own: all that it holds, and what it would have got without asking. */
  async disconnect(principal: Principal, clientId: string): Promise<void> {
    const { memberId } = requireSession(principal);
    const product = (await this.list(principal)).find(({ id }) => id === clientId);
    if (!product) return; // disconnected already, in another window
    await this.database.tenant(principal, (tx) => this.revokeGrants(tx, principal, { memberId, client: product }));
  }

  /** One authorization of anybody's. */
  revoke(principal: Principal, grantId: string): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const [ended] = await this.grants.revoke(tx, principal, { grantId });
      if (!ended) throw grantNotFound('There is no such grant.');
      const { clientId, memberId } = ended;
      const client = clientId === cliClientId ? cliProduct : await this.getClient(tx, principal, clientId);
      await this.record(tx, principal, client, { memberId, grantId });
    });
  }

  /** All between one person and one product, of anybody. Returns how many there were. */
  revokeAll(principal: Principal, memberId: string, clientId: string): Promise<number> {
    return this.database.tenant(principal, async (tx) => {
      const client = await this.getClient(tx, principal, clientId);
      return this.revokeGrants(tx, principal, { memberId, client });
    });
  }

  private async revokeGrants(
    tx: EntityManager,
    principal: Principal,
    { memberId, client }: { memberId: string; client: NamedClient },
  ): Promise<number> {
    const { length: grants } = await this.grants.revoke(tx, principal, { memberId, clientId: client.id });
    await this.record(tx, principal, client, { memberId, grants });
    return grants;
  }

  private async getClient(tx: EntityManager, { tenantId }: Principal, id: string): Promise<NamedClient> {
    const client = await tx.findOneBy(OauthClient, { tenantId, id });
    if (!client) throw clientNotFound('There is no such client.');
    return client;
  }

  private record(
    tx: EntityManager,
    principal: Principal,
    { id, name }: NamedClient,
    detail: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind: 'grant.revoked', subject: { type: 'client', id, name }, detail });
  }
}

type NamedClient = Pick<OauthClient, 'id' | 'name'>;

const cliProduct: ConnectedProductRow = {
  id: cliClientId,
  name: cliClient.client_name,
  description: null,
  redirectUris: [],
  configuration: null,
  isDisabled: false,
  agreedTo: null,
  agreedAt: null,
};

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

import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { ConfigurationsService } from '../../configurations/configurations.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { databaseErrorOf } from '../../platform/database/database-error.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { newestFirstPage } from '../../platform/graphql/newest-first.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import type { Page, PageArgs } from '../../platform/graphql/connection.js';
import { assertCurrentVersion } from '../../platform/graphql/version.js';
import type { Principal } from '../../principal/principal.js';
import { GrantsService } from '../grants.service.js';
import { ClientChangesService } from './client-changes.service.js';
import { OauthClient } from '../client.entity.js';
import type { CreateOauthClientInput, UpdateOauthClientInput } from './client.input.js';
import { issueSecret } from './secret.js';
import { clientNameTaken, clientNotFound, clientRevoked } from './clients.error.js';
import {
  mergedRegistration,
  requiresNewConsent,
  changedFields,
  type Registration,
  registrationFaults,
  registrationOf,
  narrowsAccess,
} from './registration.js';

export interface CreatedClient {
  client: OauthClient;
  /** The secret of a confidential client. It cannot be read later. */
  secret: string | null;
}

/** Registers the products that may ask members for access. Only a person may register one, never a token. */
@Injectable()
export class ClientsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly configurations: ConfigurationsService,
    private readonly grants: GrantsService,
    private readonly changes: ClientChangesService,
  ) {}

  /** Newest first, including revoked clients. */
  list(principal: Principal, args: PageArgs): Promise<Page<OauthClient>> {
    return this.database.tenant(principal, (tx) =>
      newestFirstPage(tx.createQueryBuilder(OauthClient, 'c').where('c.tenantId = :tenantId', principal), args),
    );
  }

  async get(principal: Principal, id: string): Promise<OauthClient> {
    const { tenantId } = principal;
    const client = await this.database.tenant(principal, (tx) => tx.findOneBy(OauthClient, { tenantId, id }));
    if (!client) throw clientUnknown();
    return client;
  }

  create(principal: Principal, input: CreateOauthClientInput): Promise<CreatedClient> {
    requirePerson(principal);
    return this.database.tenant(principal, async (tx) => {
      const client = await this.createIn(tx, principal, input);
      const secret = client.type === 'confidential' ? await issueSecret(tx, principal, client.id) : null;
      return { client, secret };
    });
  }

  /** Without a secret: a confidential client needs a rotation first. */
  async createIn(tx: Tx, principal: Principal, input: CreateOauthClientInput): Promise<OauthClient> {
    const registration = registrationOf(input);
    const row = {
      ...registration,
      tenantId: principal.tenantId,
      id: newId(),
      revision: 1,
      createdBy: principal.memberId ?? null,
      createdAt: new Date(),
      lastUsedAt: null,
      disabledAt: null,
      revokedAt: null,
    };
    await this.requireValid(tx, principal, registration);
    await refuseTakenName(tx.insert(OauthClient, row), row.name);
    await this.record(tx, principal, 'client.created', row, { ...registration });
    await this.changes.record(tx, principal, row.id, 'registered');
    await this.outbox.write(tx, row.tenantId, 'client.created', { clientId: row.id });
    return tx.create(OauthClient, row);
  }

  /** Ends all grants if the update narrows the access of the client. */
  update(principal: Principal, input: UpdateOauthClientInput): Promise<OauthClient> {
    requirePerson(principal);
    return this.database.tenant(principal, (tx) => this.updateIn(tx, principal, input));
  }

  async updateIn(
    tx: Tx,
    principal: Principal,
    { clientId, basedOn, ...input }: UpdateOauthClientInput,
  ): Promise<OauthClient> {
    const client = await this.getForUpdate(tx, principal, clientId);
    assertCurrentVersion(basedOn, registrationOf(client));
    const registration = mergedRegistration(client, input);
    await this.requireValid(tx, principal, registration);
    const change = changedFields(client, registration);
    if (!Object.keys(change).length) return client;
    const revision = client.revision + (requiresNewConsent(change) ? 1 : 0);
    const row = { tenantId: client.tenantId, id: clientId };
    await refuseTakenName(tx.update(OauthClient, row, { ...change, revision }), registration.name);
    if (narrowsAccess(client, registration)) await this.grants.revoke(tx, principal, { clientId });
    if (change.redirectUris) await this.grants.revokeCodes(tx, principal, clientId);
    await this.record(tx, principal, 'client.updated', { ...row, name: registration.name }, { ...change, revision });
    await this.changes.record(tx, principal, clientId, 'updated');
    return Object.assign(client, change, { revision });
  }

  /** The kill switch: the client's next request fails on every process. Grants stay for `enable`. */
  disable(principal: Principal, id: string): Promise<OauthClient> {
    return this.setDisabled(principal, id, new Date());
  }

  async enable(principal: Principal, id: string): Promise<OauthClient> {
    requireSession(principal);
    return this.setDisabled(principal, id, null);
  }

  /** Takes effect immediately and is final. */
  revoke(principal: Principal, id: string): Promise<OauthClient> {
    return this.database.tenant(principal, (tx) => this.revokeIn(tx, principal, id));
  }

  async revokeIn(tx: Tx, principal: Principal, id: string): Promise<OauthClient> {
    const client = await this.lock(tx, principal, id);
    if (client.revokedAt) return client;
    const revokedAt = new Date();
    await tx.update(OauthClient, { tenantId: client.tenantId, id }, { revokedAt });
    const { length: grants } = await this.grants.revoke(tx, principal, { clientId: id });
    await this.record(tx, principal, 'client.revoked', client, { grants });
    await this.outbox.write(tx, client.tenantId, 'client.revoked', { clientId: id });
    return Object.assign(client, { revokedAt });
  }

  /** Locks the client, so that checks on it stay true until the transaction ends. */
  async getForUpdate(tx: Tx, principal: Principal, id: string): Promise<OauthClient> {
    const client = await this.lock(tx, principal, id);
    if (client.revokedAt) throw clientRevoked('This client was revoked.');
    return client;
  }

  private setDisabled(principal: Principal, id: string, disabledAt: Date | null): Promise<OauthClient> {
    return this.database.tenant(principal, async (tx) => {
      const client = await this.getForUpdate(tx, principal, id);
      if (!client.disabledAt === !disabledAt) return client;
      await tx.update(OauthClient, { tenantId: client.tenantId, id }, { disabledAt });
      await this.record(tx, principal, disabledAt ? 'client.disabled' : 'client.enabled', client);
      return Object.assign(client, { disabledAt });
    });
  }

  private async requireValid(tx: Tx, { tenantId }: Principal, registration: Registration): Promise<void> {
    const faults = registrationFaults(registration);
    const { configurationId } = registration;
    if (configurationId && !(await this.configurations.findBundle(tx, tenantId, configurationId)))
      faults.push({ pointer: '/configurationId', detail: 'is not a configuration of the organization' });
    if (faults.length) throw invalidRequest('The registration of the client is invalid.', { errors: faults });
  }

  private async lock(tx: Tx, { tenantId }: Principal, id: string): Promise<OauthClient> {
    const client = await tx.findOne(OauthClient, { where: { tenantId, id }, lock: { mode: 'pessimistic_write' } });
    if (!client) throw clientUnknown();
    return client;
  }

  private record(
    tx: Tx,
    principal: Principal,
    kind: string,
    { id, name }: Pick<OauthClient, 'id' | 'name'>,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'client', id, name }, detail });
  }
}

const clientUnknown = () => clientNotFound('The OAuth client does not exist.');

/** Tokens may not register clients. The system principal may, for the built-in demo. */
export function requirePerson(principal: Principal): void {
  if (principal.kind !== 'system') requireSession(principal);
}

/** Names are unique because people identify clients by name on the consent page. */
function refuseTakenName<T>(change: Promise<T>, name: string): Promise<T> {
  return change.catch((error: unknown) => {
    const { code, constraint } = databaseErrorOf(error) ?? {};
    throw code === '23505' && constraint === 'oauth_clients_by_name'
      ? clientNameTaken(`The name "${name}" is already in use.`)
      : error;
  });
}

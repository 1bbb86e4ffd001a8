import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { groupedBy } from '../../platform/graphql/request-loader.js';
import type { Principal } from '../../principal/principal.js';
import { ClientChangesService } from './client-changes.service.js';
import { OauthClientSecret } from './client-secret.entity.js';
import { clientHasNoSecret, secretNotFound } from './clients.error.js';
import { ClientsService, type CreatedClient, requirePerson } from './clients.service.js';
import { issueSecret } from './secret.js';

/** Secrets of confidential clients. Each is shown once. At most two are valid, for a rotation without downtime. */
@Injectable()
export class SecretsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly clients: ClientsService,
    private readonly changes: ClientChangesService,
  ) {}

  /** Secrets of each client, including expired ones, in the order of the ids, newest first. */
  listByClients(principal: Principal, clientIds: readonly string[]): Promise<OauthClientSecret[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const secrets = await tx.find(OauthClientSecret, {
        where: { tenantId, client: In(clientIds) },
        order: { id: 'desc' },
      });
      return groupedBy(clientIds, secrets, ({ client }) => client);
    });
  }

  /** Issues a new secret. The previous one stays valid for the overlap; older ones expire immediately. */
  rotate(
    principal: Principal,
    clientId: string,
    { overlapSeconds }: { overlapSeconds: number },
  ): Promise<CreatedClient> {
    requirePerson(principal);
    return this.database.tenant(principal, async (tx) => {
      const client = await this.clients.getForUpdate(tx, principal, clientId);
      if (client.type === 'public') throw clientHasNoSecret('This is a public client.');
      const worksUntil = new Date(Date.now() + overlapSeconds * 1000);
      await this.expireEarlier(tx, principal, clientId, worksUntil);
      const secret = await issueSecret(tx, principal, clientId);
      await this.audit.record(tx, principal, {
        kind: 'client.secret_rotated',
        subject: { type: 'client', id: clientId, name: client.name },
        detail: { worksUntil },
      });
      await this.changes.record(tx, principal, clientId, 'secret_shown');
      return { client, secret };
    });
  }

  /** Revokes a leaked secret immediately and permanently. */
  revoke(principal: Principal, id: string): Promise<OauthClientSecret> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const secret = await tx.findOne(OauthClientSecret, {
        where: { tenantId, id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!secret) throw secretNotFound('The secret does not exist.');
      const now = new Date();
      if (secret.expiresAt && secret.expiresAt <= now) return secret;
      await tx.update(OauthClientSecret, { tenantId, id }, { expiresAt: now });
      await this.audit.record(tx, principal, {
        kind: 'client.secret_revoked',
        subject: { type: 'client', id: secret.client },
        detail: { secretId: id, hint: secret.hint },
      });
      return Object.assign(secret, { expiresAt: now });
    });
  }

  private async expireEarlier(tx: Tx, { tenantId }: Principal, client: string, worksUntil: Date): Promise<void> {
    const now = new Date();
    const secrets = await tx.find(OauthClientSecret, { where: { tenantId, client }, order: { id: 'desc' } });
    const [last, ...older] = secrets.filter(({ expiresAt }) => !expiresAt || expiresAt > now);
    if (!last) return;
    const expiresAt = last.expiresAt && last.expiresAt < worksUntil ? last.expiresAt : worksUntil;
    await tx.update(OauthClientSecret, { tenantId, id: last.id }, { expiresAt });
    await tx.update(OauthClientSecret, { tenantId, id: In(older.map(({ id }) => id)) }, { expiresAt: now });
  }
}

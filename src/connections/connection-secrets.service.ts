import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SealService } from '../platform/crypto/seal.service.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Connection } from './connection.entity.js';
import type { SecretChanges } from './settings.js';

type SecretOwner = Pick<Connection, 'tenantId' | 'id'>;

/** Credentials of connections: sealed for one connection and name, opened only to be used. */
@Injectable()
export class ConnectionSecretsService {
  constructor(private readonly seal: SealService) {}

  /** Throws MasterKeyMismatch, in words that say what to do. */
  async open(tx: EntityManager, { tenantId, id }: SecretOwner): Promise<ReadonlyMap<string, string>> {
    const rows = (await tx.query(
      'select name, sealed from connection_secrets where tenant_id = $1 and connection_id = $2',
      [tenantId, id],
    )) as {
      name: string;
      sealed: Buffer;
    }[];
    return this.unseal(id, rows);
  }

  unseal(connectionId: string, rows: { name: string; sealed: Buffer }[]): ReadonlyMap<string, string> {
    return new Map(
      rows.map(({ name, sealed }) => [name, this.seal.open(sealed, secretSealContext(connectionId, name)).toString()]),
    );
  }

  /** In the order of the connections. */
  async namesOf(tx: EntityManager, tenantId: string, connectionIds: readonly string[]): Promise<string[][]> {
    const rows = await tx.query<{ connectionId: string; name: string }[]>(
      `select connection_id as "connectionId", name from connection_secrets
       where tenant_id = $1 and connection_id = any ($2) order by name`,
      [tenantId, connectionIds],
    );
    return groupedBy(connectionIds, rows, ({ connectionId }) => connectionId).map((own) => own.map(({ name }) => name));
  }

  async update(tx: EntityManager, { tenantId, id }: SecretOwner, changes: SecretChanges): Promise<void> {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null)
        await tx.query('delete from connection_secrets where tenant_id = $1 and connection_id = $2 and name = $3', [
          tenantId,
          id,
          name,
        ]);
      else
        await tx.query(
          `insert into connection_secrets (tenant_id, connection_id, name, sealed) values ($1, $2, $3, $4)
           on conflict (tenant_id, connection_id, name) do update set sealed = excluded.sealed`,
          [tenantId, id, name, this.seal.seal(value.trim(), secretSealContext(id, name))],
        );
    }
  }

  /** People’s own accounts too, and what we are known by. */
  async clear(tx: EntityManager, { tenantId, id }: SecretOwner): Promise<void> {
    for (const table of credentialTables)
      await tx.query(`delete from ${table} where tenant_id = $1 and connection_id = $2`, [tenantId, id]);
  }
}

const credentialTables = [
  'connection_secrets',
  'connection_accounts',
  'connection_clients',
  'connection_authorizations',
];

const secretSealContext = (connectionId: string, name: string) => ({
  table: 'connection_secrets',
  column: 'sealed',
  row: `${connectionId}/${name}`,
});

import { Injectable } from '@nestjs/common';
import { SealService } from '../platform/crypto/seal.service.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Tx } from '../platform/database/tx.js';
import type { Connection } from './connection.entity.js';
import { NotSent } from './connections.error.js';
import type { SecretChanges } from './settings.js';

type SecretOwner = Pick<Connection, 'tenantId' | 'id'>;

/** Credentials of connections: sealed per connection and name, opened only for use. */
@Injectable()
export class ConnectionSecretsService {
  constructor(private readonly seal: SealService) {}

  /**
   * Opens the credentials of the revision that was read, so that one host never receives the credentials of the next.
   * Throws `NotSent` if the connection has changed since, and MasterKeyMismatch.
   */
  async open(
    tx: Tx,
    { tenantId, id, revision }: SecretOwner & Pick<Connection, 'revision'>,
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.query<{ revision: number; name: string | null; sealed: Buffer }[]>(
      `select c.revision, s.name, s.sealed from connections c
       left join connection_secrets s on s.tenant_id = c.tenant_id and s.connection_id = c.id
       where c.tenant_id = $1 and c.id = $2`,
      [tenantId, id],
    );
    if (rows.some((row) => row.revision !== revision)) throw new NotSent('The connection changed in the meantime.');
    return this.unseal(
      id,
      rows.flatMap(({ name, sealed }) => (name === null ? [] : [{ name, sealed }])),
    );
  }

  unseal(connectionId: string, rows: { name: string; sealed: Buffer }[]): ReadonlyMap<string, string> {
    return new Map(
      rows.map(({ name, sealed }) => [name, this.seal.open(sealed, secretSealContext(connectionId, name)).toString()]),
    );
  }

  /** In the order of the connections. */
  async namesOf(tx: Tx, tenantId: string, connectionIds: readonly string[]): Promise<string[][]> {
    const rows = await tx.query<{ connectionId: string; name: string }[]>(
      `select connection_id as "connectionId", name from connection_secrets
       where tenant_id = $1 and connection_id = any ($2) order by name`,
      [tenantId, connectionIds],
    );
    return groupedBy(connectionIds, rows, ({ connectionId }) => connectionId).map((own) => own.map(({ name }) => name));
  }

  async update(tx: Tx, { tenantId, id }: SecretOwner, changes: SecretChanges): Promise<void> {
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

  /** Also deletes people's own accounts and our OAuth clients for the connection. */
  async clear(tx: Tx, { tenantId, id }: SecretOwner): Promise<void> {
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

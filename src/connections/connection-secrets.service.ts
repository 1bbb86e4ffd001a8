import { Injectable } from '@nestjs/common';
import { SealService } from '../platform/crypto/seal.service.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Tx } from '../platform/database/tx.js';
import type { Connection } from './connection.entity.js';
import { CredentialRemovalHookRegistry } from './credential-removal-hook-registry.service.js';
import { NotSent } from './connections.error.js';
import {
  deleteConnectionSecret,
  deleteConnectionSecrets,
  listConnectionSecrets,
  listSecretNames,
  storeConnectionSecret,
} from './connections.sql.js';
import type { SecretChanges } from './settings.js';

type SecretOwner = Pick<Connection, 'tenantId' | 'id'>;

/** Credentials of connections: sealed per connection and name, opened only for use. */
@Injectable()
export class ConnectionSecretsService {
  constructor(
    private readonly seal: SealService,
    private readonly removalHooks: CredentialRemovalHookRegistry,
  ) {}

  /**
   * Opens the credentials of the revision that was read, so that one host never receives the credentials of the next.
   * Throws `NotSent` if the connection has changed since, and MasterKeyMismatch.
   */
  async open(
    tx: Tx,
    { tenantId, id, revision }: SecretOwner & Pick<Connection, 'revision'>,
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.run(listConnectionSecrets, [tenantId, id]);
    if (rows.some((row) => row.revision !== revision)) throw new NotSent('The connection changed in the meantime.');
    return this.unseal(
      id,
      rows.flatMap(({ name, sealed }) => (name === null || sealed === null ? [] : [{ name, sealed }])),
    );
  }

  unseal(connectionId: string, rows: { name: string; sealed: Buffer }[]): ReadonlyMap<string, string> {
    return new Map(
      rows.map(({ name, sealed }) => [name, this.seal.open(sealed, secretSealContext(connectionId, name)).toString()]),
    );
  }

  /** In the order of the connections. */
  async namesOf(tx: Tx, tenantId: string, connectionIds: readonly string[]): Promise<string[][]> {
    const rows = await tx.run(listSecretNames, [tenantId, connectionIds]);
    return groupedBy(connectionIds, rows, ({ connectionId }) => connectionId).map((own) => own.map(({ name }) => name));
  }

  async update(tx: Tx, { tenantId, id }: SecretOwner, changes: SecretChanges): Promise<void> {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) await tx.execute(deleteConnectionSecret, [tenantId, id, name]);
      else {
        const sealed = this.seal.seal(value.trim(), secretSealContext(id, name));
        await tx.execute(storeConnectionSecret, [tenantId, id, name, sealed]);
      }
    }
  }

  /** Also deletes the credentials for the connection that other modules store, such as people's own accounts. */
  async clear(tx: Tx, { tenantId, id }: SecretOwner): Promise<void> {
    await tx.execute(deleteConnectionSecrets, [tenantId, id]);
    await this.removalHooks.run(tx, tenantId, id);
  }
}

const secretSealContext = (connectionId: string, name: string) => ({
  table: 'connection_secrets',
  column: 'sealed',
  row: `${connectionId}/${name}`,
});

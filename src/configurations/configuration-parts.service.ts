import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Group } from '../access/group.entity.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { Connection } from '../connections/connection.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import type { Configuration } from './configuration.entity.js';
import type { CreateConfigurationInput } from './configuration.input.js';
import {
  connectionPartStatements,
  groupPartStatements,
  linkedConnections,
  linkedGroups,
} from './configurations.sql.js';

type ConfigurationParts = Pick<CreateConfigurationInput, 'connectionIds' | 'groupIds' | 'modelConnectionId'>;

/** The connections, groups and model that configurations consist of. */
@Injectable()
export class ConfigurationPartsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly kinds: ConnectorRegistry,
  ) {}

  /** Connections of each configuration, in the order of the ids, by slug. */
  connectionsOf({ tenantId }: Principal, ids: readonly string[]): Promise<Connection[][]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const links = await tx.run(linkedConnections, [tenantId, ids]);
      const where = { tenantId, id: In(links.map(({ other }) => other)), removedAt: IsNull() };
      return groupLinkedRows(ids, links, await tx.find(Connection, { where, order: { slug: 'asc' } }));
    });
  }

  /** Groups of each configuration, in the order of the ids, by name. */
  groupsOf({ tenantId }: Principal, ids: readonly string[]): Promise<Group[][]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const links = await tx.run(linkedGroups, [tenantId, ids]);
      const where = { tenantId, id: In(links.map(({ other }) => other)) };
      return groupLinkedRows(ids, links, await tx.find(Group, { where, order: { name: 'asc' } }));
    });
  }

  /** Reports every id that does not exist. */
  async refuseUnknown(
    tx: Tx,
    tenantId: string,
    { connectionIds, groupIds, modelConnectionId }: Partial<ConfigurationParts>,
  ): Promise<void> {
    const ids = [...(connectionIds ?? []), ...(modelConnectionId ? [modelConnectionId] : [])];
    const connections = await tx.find(Connection, { where: { tenantId, id: In(ids), removedAt: IsNull() } });
    const groups = await tx.find(Group, { where: { tenantId, id: In(groupIds ?? []) } });
    const errors = [
      ...missingIdErrors('connectionIds', connectionIds, connections),
      ...missingIdErrors('groupIds', groupIds, groups),
    ];
    if (modelConnectionId && !this.isModel(connections.find(({ id }) => id === modelConnectionId))) {
      errors.push({ pointer: '/modelConnectionId', detail: 'is not a connection that provides a model' });
    }
    if (errors.length) throw invalidRequest('The request refers to objects that do not exist.', { errors });
  }

  /** Replaces the given parts. Undefined parts stay unchanged. */
  async replace(
    tx: Tx,
    { tenantId, id }: Configuration,
    { connectionIds, groupIds }: Partial<ConfigurationParts>,
  ): Promise<void> {
    const parts = [
      { ids: connectionIds, statements: connectionPartStatements },
      { ids: groupIds, statements: groupPartStatements },
    ];
    for (const { ids, statements } of parts) {
      if (!ids) continue;
      await tx.execute(statements.deleteOthers, [tenantId, id, ids]);
      await tx.execute(statements.insert, [tenantId, id, ids]);
    }
  }

  private isModel(connection?: Connection): boolean {
    return connection !== undefined && (this.kinds.find(connection.kind)?.offers.includes('model') ?? false);
  }
}

const missingIdErrors = (field: string, ids: string[] | null | undefined, found: { id: string }[]) =>
  (ids ?? []).flatMap((id, index) =>
    found.some((row) => row.id === id) ? [] : [{ pointer: `/${field}/${index}`, detail: 'does not exist' }],
  );

/** The linked rows of each id, in the order of the rows. */
function groupLinkedRows<Row extends { id: string }>(
  ids: readonly string[],
  links: { id: string; other: string }[],
  rows: Row[],
): Row[][] {
  const others = Map.groupBy(links, ({ id }) => id);
  return ids.map((id) => {
    const own = new Set(others.get(id)?.map(({ other }) => other));
    return rows.filter((row) => own.has(row.id));
  });
}

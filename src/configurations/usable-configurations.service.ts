import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { ConnectionAudienceService } from '../connections/connection-audience.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { Configuration } from './configuration.entity.js';
import { configurationNotFound, configurationRequired } from './configurations.error.js';
import { memberReachesConnection, usableBy } from './configurations.sql.js';

/** The configurations that a member may use through their groups. */
@Injectable()
export class UsableConfigurationsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audience: ConnectionAudienceService,
  ) {}

  onModuleInit(): void {
    this.audience.register((principal, connectionId) => this.reachesConnection(principal, connectionId));
  }

  /** Newest first. */
  async list(
    principal: Principal,
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<{ configurations: Configuration[]; nextCursor: string | null }> {
    const [after] = cursor ? decodeCursor(cursor, ['id']) : [null];
    const rows = await this.find(principal, { after, most: limit + 1 });
    const configurations = rows.slice(0, limit);
    return { configurations, nextCursor: rows.length > limit ? encodeCursor([configurations[limit - 1].id]) : null };
  }

  /** Throws the same error for a configuration that the member may not use and one that does not exist. */
  async get(principal: Principal, id: string): Promise<Configuration> {
    const [configuration] = isUUID(id) ? await this.find(principal, { id, most: 1 }) : [];
    if (!configuration) throw configurationNotFound('The configuration does not exist, or you may not use it.');
    return configuration;
  }

  /** The requested configuration, or the only one that the member may use. */
  async resolve(principal: Principal, id: string | undefined): Promise<Configuration> {
    if (id !== undefined) return this.get(principal, id);
    const [only, another] = await this.find(principal, { most: 2 });
    if (only && !another) return only;
    throw configurationRequired(
      only ? 'You may use several configurations. Specify one.' : 'None of your groups may use a configuration.',
      { errors: [{ pointer: '/configuration', detail: 'is missing' }] },
    );
  }

  /** Whether one of them contains the connection. */
  private reachesConnection(principal: Principal, connectionId: string): Promise<boolean> {
    const { tenantId, memberId } = principal;
    return this.database.tenant(principal, async (tx) => {
      return (await tx.execute(memberReachesConnection, [tenantId, memberId ?? null, connectionId])) === 1;
    });
  }

  private find(
    principal: Principal,
    { id, after, most }: { id?: string; after?: string | null; most: number },
  ): Promise<Configuration[]> {
    const { tenantId, memberId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(usableBy, [tenantId, memberId ?? null, id ?? null, after ?? null, most]);
      return rows.map((row) => tx.create(Configuration, row));
    });
  }
}

import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { Configuration } from './configuration.entity.js';

/** Loads names of configurations for display, with one query for a list. */
@Injectable()
export class ConfigurationNamesService {
  constructor(private readonly database: DatabaseService) {}

  /** Returns null if it does not exist. */
  load(tenantId: string, id: string): Promise<string | null> {
    return this.nameBatcher.submit({ tenantId, id });
  }

  private readonly nameBatcher = new Batcher<{ tenantId: string; id: string }, string | null>((tenantId, requests) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const configurations = await tx.findBy(Configuration, { tenantId, id: In(requests.map(({ id }) => id)) });
      const names = new Map(configurations.map(({ id, name }) => [id, name]));
      return requests.map(({ id }) => names.get(id) ?? null);
    }),
  );
}

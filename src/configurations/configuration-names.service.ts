import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { Configuration } from './configuration.entity.js';

/** What configurations are called, for those who see something that belongs to one. Those of a list are looked up together. */
@Injectable()
export class ConfigurationNamesService {
  constructor(private readonly database: DatabaseService) {}

  /** Null: it is gone. */
  load(tenantId: string, id: string): Promise<string | null> {
    return this.nameBatcher.submit({ tenantId, id });
  }

  private readonly nameBatcher = new Batcher<{ tenantId: string; id: string }, string | null>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const found = await tx.findBy(Configuration, { tenantId, id: In(asked.map(({ id }) => id)) });
      const names = new Map(found.map(({ id, name }) => [id, name]));
      return asked.map(({ id }) => names.get(id) ?? null);
    }),
  );
}

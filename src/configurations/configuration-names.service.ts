import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { Configuration } from './configuration.entity.js';

/** What configurations are called, for those who see something that belongs to one. Those of a list are looked up together. */
@Injectable()
export class ConfigurationNames {
  constructor(private readonly database: Database) {}

  /** Null: it is gone. */
  of(tenantId: string, id: string): Promise<string | null> {
    return this.asking.ask({ tenantId, id });
  }

  private readonly asking = new Gather<{ tenantId: string; id: string }, string | null>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const found = await tx.findBy(Configuration, { tenantId, id: In(asked.map(({ id }) => id)) });
      const names = new Map(found.map(({ id, name }) => [id, name]));
      return asked.map(({ id }) => names.get(id) ?? null);
    }),
  );
}

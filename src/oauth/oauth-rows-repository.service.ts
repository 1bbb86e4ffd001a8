import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { clientsById, type KnownClientRow } from './clients.system.sql.js';
import { writeValuesOf, type PendingWrites } from './pending-rows.js';
import { selectPresentedRows, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface PresentedCredential {
  model: string;
  idHash: Buffer;
}

/**
 * The statements of the token endpoint. Concurrent requests share them; no request uses data read before it arrived.
 */
@Injectable()
export class OauthRowsRepository {
  private readonly clients = new Batcher<{ tenantId?: never; id: string }, KnownClientRow | null>(
    async (_, requests) => {
      const ids = requests.map(({ id }) => id);
      const rows = await this.database.systemPool.run(clientsById, [ids]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    },
  );

  private readonly presented = new Batcher<{ tenantId?: never } & PresentedCredential, PresentedRow | null>(
    async (_, requests) => {
      const rows = await this.database.systemPool.run(selectPresentedRows, [
        requests.map(({ model }) => model),
        requests.map(({ idHash }) => idHash),
      ]);
      const byNumber = new Map(rows.map(({ asked: nth, ...row }) => [nth, row]));
      return requests.map((_row, nth) => byNumber.get(nth + 1) ?? null);
    },
  );

  private readonly writes = new Batcher<{ tenantId?: never; writes: PendingWrites }, boolean>(async (_, batch) => {
    const requests = batch.map(({ writes }) => writes);
    // in a transaction: a single statement would commit even if this process died before it got the result
    const rows = await this.database.system('store the rows of token responses', (tx) =>
      tx.run(writeRows, writeValuesOf(requests)),
    );
    const done = new Set(rows.map(({ request }) => request));
    return requests.map(({ used }, request) => !used.length || done.has(request));
  });

  constructor(private readonly database: DatabaseService) {}

  client(id: string): Promise<KnownClientRow | null> {
    return this.clients.submit({ id });
  }

  loadPresented(row: PresentedCredential): Promise<PresentedRow | null> {
    return this.presented.submit(row);
  }

  /** Writes everything, or nothing if one of the rows was already used. Returns whether it wrote. */
  write(writes: PendingWrites): Promise<boolean> {
    return this.writes.submit({ writes });
  }
}

import { Injectable } from '@nestjs/common';
import { pipelineOf, DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { clientsById, type KnownClientRow } from './clients/clients.system.sql.js';
import { writeValuesOf, type PendingWrites } from './pending-rows.js';
import { selectPresentedRows, type PresentedRow, writeRows } from './rows.system.sql.js';

export interface PresentedCredential {
  model: string;
  idHash: Buffer;
}

/** The statements of the token endpoint. Requests that come in together share them; none is answered by what was read before it asked. */
@Injectable()
export class OauthRowsRepository {
  private readonly clients = new Batcher<{ tenantId?: never; id: string }, KnownClientRow | null>(async (_, asked) => {
    const ids = asked.map(({ id }) => id);
    const { rows } = await this.database.systemPool.query<KnownClientRow>({ ...clientsById, values: [ids] });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  });

  private readonly presented = new Batcher<{ tenantId?: never } & PresentedCredential, PresentedRow | null>(
    async (_, asked) => {
      const values = [asked.map(({ model }) => model), asked.map(({ idHash }) => idHash)];
      const { rows } = await this.database.systemPool.query<PresentedRow & { asked: number }>({
        ...selectPresentedRows,
        values,
      });
      const byNumber = new Map(rows.map(({ asked: nth, ...row }) => [nth, row]));
      return asked.map((_row, nth) => byNumber.get(nth + 1) ?? null);
    },
  );

  private readonly writes = new Batcher<{ tenantId?: never; writes: PendingWrites }, boolean>(async (_, asked) => {
    const requests = asked.map(({ writes }) => writes);
    // in a transaction: a statement alone would be committed even when this process dies before it has the answer
    const { rows } = await this.database.system('keep what was answered', async (tx) =>
      (await pipelineOf(tx)).query<{ request: number }>({ ...writeRows, values: writeValuesOf(requests) }),
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

  /** All of it, or, where something was used before, nothing: false. */
  write(writes: PendingWrites): Promise<boolean> {
    return this.writes.submit({ writes });
  }
}

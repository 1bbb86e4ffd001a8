import type { RowWrites } from './rows.system.sql.js';

/** A row to insert or update. */
export interface SavedRow {
  model: string;
  idHash: Buffer;
  payload: Record<string, unknown>;
  grantId: string | null;
  userCodeHash: Buffer | null;
  tenantId: string | null;
  memberId: string | null;
  clientId: string | null;
  /** Lifetime. */
  seconds: number;
}

/** `replay`: the sealed response to the credential. */
export interface ConsumedRow {
  model: string;
  idHash: Buffer;
  replay: Buffer | null;
}

/** The writes of a request. If one of its consumed rows was used before, nothing is written. */
export interface PendingWrites {
  used: ConsumedRow[];
  saved: SavedRow[];
}

/** Writes of a request that are not yet sent to the database. */
export class PendingRows {
  private saved = new Map<string, SavedRow>();
  private used = new Map<string, ConsumedRow>();

  save(row: SavedRow): void {
    this.saved.set(rowKeyOf(row.model, row.idHash), row);
  }

  consume(model: string, idHash: Buffer, replay: Buffer | null = null): void {
    this.used.set(rowKeyOf(model, idHash), { model, idHash, replay });
  }

  clear(): void {
    this.saved = new Map();
    this.used = new Map();
  }

  /** Returns null if nothing is pending. */
  take(): PendingWrites | null {
    const writes = { used: [...this.used.values()], saved: [...this.saved.values()] };
    if (!writes.used.length && !writes.saved.length) return null;
    this.clear();
    return writes;
  }
}

export const rowKeyOf = (model: string, idHash: Buffer): string => `${model} ${idHash.toString('base64')}`;

/** The parameters of `writeRows`: an array for each column. */
export function writeValuesOf(requests: readonly PendingWrites[]): RowWrites {
  const used = requests.flatMap((writes, request) => writes.used.map((row) => ({ request, ...row })));
  const saved = requests.flatMap((writes, request) =>
    writes.saved.map((row) => ({ request, needs: writes.used.length, ...row })),
  );
  return [
    used.map(({ request }) => request),
    used.map(({ model }) => model),
    used.map(({ idHash }) => idHash),
    used.map(({ replay }) => replay),
    saved.map(({ request }) => request),
    saved.map(({ needs }) => needs),
    saved.map(({ model }) => model),
    saved.map(({ idHash }) => idHash),
    saved.map(({ payload }) => payload),
    saved.map(({ grantId }) => grantId),
    saved.map(({ userCodeHash }) => userCodeHash),
    saved.map(({ tenantId }) => tenantId),
    saved.map(({ memberId }) => memberId),
    saved.map(({ clientId }) => clientId),
    saved.map(({ seconds }) => seconds),
  ];
}

/** A row as it is to be stored, whether or not there is one already. */
export interface SavedRow {
  model: string;
  idHash: Buffer;
  payload: Record<string, unknown>;
  grantId: string | null;
  userCodeHash: Buffer | null;
  tenantId: string | null;
  memberId: string | null;
  clientId: string | null;
  /** Until it expires. */
  seconds: number;
}

/** What a request has written so far and the database has not been told yet: all of it goes in one statement. */
export class PendingRows {
  private saved = new Map<string, SavedRow>();
  private used = new Map<string, { model: string; idHash: Buffer; replay: Buffer | null }>();

  save(row: SavedRow): void {
    this.saved.set(keyOf(row.model, row.idHash), row);
  }

  /** Uses up a row that this request has locked. `replay`: what was answered to it, sealed. */
  use(model: string, idHash: Buffer, replay: Buffer | null = null): void {
    this.used.set(keyOf(model, idHash), { model, idHash, replay });
  }

  /** The values for `writeRows`, and how many rows have to be found used up then; null, there is nothing to write. */
  take(): { values: unknown[]; uses: number } | null {
    const saved = [...this.saved.values()];
    const used = [...this.used.values()];
    if (!saved.length && !used.length) return null;
    this.saved = new Map();
    this.used = new Map();
    const values = [
      ...(['model', 'idHash', 'replay'] as const).map((column) => used.map((row) => row[column])),
      ...savedColumns.map((column) => saved.map((row) => row[column])),
    ];
    return { values, uses: used.length };
  }
}

const savedColumns = [
  'model',
  'idHash',
  'payload',
  'grantId',
  'userCodeHash',
  'tenantId',
  'memberId',
  'clientId',
  'seconds',
] as const;

export const keyOf = (model: string, idHash: Buffer): string => `${model} ${idHash.toString('base64')}`;

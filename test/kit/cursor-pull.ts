import type { ConnectionContext } from '../../src/connections/connection-kinds.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { Config } from '../../src/platform/config/config.js';
import { Outgoing } from '../../src/platform/http/outgoing.service.js';
import type { Log } from '../../src/platform/telemetry/log.service.js';
import { CursorApi, type Patience } from '../../src/spend/cursor/cursor-api.js';
import { cursorVendor } from '../../src/spend/cursor/cursor.vendor.js';
import type { Page, Pull, SpendVendor, TroubleCode } from '../../src/spend/vendor.js';

/** The house’s, but for pauses between attempts. */
const impatient: Patience = {
  backOffMs: [5, 10, 20, 40, 80],
  longestWaitMs: 3000,
  answerMs: 20_000,
  quickAnswerMs: 20_000,
  wholeAnswerMs: 30_000,
  minuteMs: 60_000,
};

/** A connector without the house around it, that pulls from a vendor. */
export class CursorPull {
  readonly api: CursorApi;
  readonly vendor: SpendVendor;
  readonly logged: unknown[] = [];
  readonly waits: { until: Date; code: TroubleCode }[] = [];
  requests = 0;
  private readonly outgoing = new Outgoing(Config.from({}));
  private readonly connection = { tenantId: newId(), id: newId(), revision: 1 } as ConnectionContext['connection'];
  private readonly controller = new AbortController();

  constructor(
    readonly url: string,
    readonly key: string | undefined,
    patience: Partial<Patience> = {},
  ) {
    this.api = new CursorApi(url, { ...impatient, ...patience });
    this.vendor = cursorVendor(this.api);
  }

  get context(): ConnectionContext {
    const { connection, outgoing, key } = this;
    const keep = (...line: unknown[]) => void this.logged.push(line);
    const log = { debug: keep, info: keep, warn: keep, error: keep } as unknown as Log;
    return { connection, settings: {}, secret: () => key, outgoing, signal: this.controller.signal, log };
  }

  get pull(): Pull {
    return {
      context: this.context,
      signal: this.controller.signal,
      onRequest: () => void this.requests++,
      onWait: (until, code) => void this.waits.push({ until, code }),
    };
  }

  stop(reason: Error): void {
    this.controller.abort(reason);
  }

  async close(): Promise<void> {
    await this.outgoing.onApplicationShutdown();
  }
}

/** All pages as one. */
export async function whole<R>(pages: AsyncIterable<Page<R>>) {
  const read: Page<R>[] = [];
  for await (const page of pages) read.push(page);
  return {
    rows: read.flatMap(({ rows }) => rows),
    faults: read.flatMap(({ faulty }) => faulty.map(({ reason }) => reason)),
    unknownFields: Object.assign({}, ...read.map(({ unknownFields }) => unknownFields)) as Record<string, number>,
    pages: read.length,
  };
}

import type { ConnectionContext } from '../../src/connections/connector-registry.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { Config } from '../../src/platform/config/config.js';
import { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import { CursorApi, type CursorTimeouts } from '../../src/spend/cursor/cursor-api.js';
import { cursorVendor } from '../../src/spend/cursor/cursor.vendor.js';
import type { VendorPage, VendorSync, SpendVendor, VendorErrorCode } from '../../src/spend/vendor.js';
import { RecordingLog } from './logs.js';

/** The defaults of the application, with short pauses between attempts. */
const shortTimeouts: CursorTimeouts = {
  backOffMs: [5, 10, 20, 40, 80],
  longestWaitMs: 3000,
  answerMs: 20_000,
  quickAnswerMs: 20_000,
  wholeAnswerMs: 30_000,
  minuteMs: 60_000,
};

/** A connector outside the application that syncs from a vendor. */
export class CursorSyncFixture {
  readonly api: CursorApi;
  readonly vendor: SpendVendor;
  readonly log = new RecordingLog();
  readonly waits: { until: Date; code: VendorErrorCode }[] = [];
  requests = 0;
  private readonly outgoing = new OutboundHttpClient(Config.from({}));
  private readonly connection = { tenantId: newId(), id: newId(), revision: 1 } as ConnectionContext['connection'];
  private readonly controller = new AbortController();

  constructor(
    readonly url: string,
    readonly key: string | undefined,
    patience: Partial<CursorTimeouts> = {},
  ) {
    this.api = new CursorApi(url, { ...shortTimeouts, ...patience });
    this.vendor = cursorVendor(this.api);
  }

  get context(): ConnectionContext {
    const { connection, outgoing, key, log } = this;
    return { connection, settings: {}, secret: () => key, outgoing, signal: this.controller.signal, log };
  }

  get pull(): VendorSync {
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

/** Joins all pages. */
export async function collectPages<R>(pages: AsyncIterable<VendorPage<R>>) {
  const read: VendorPage<R>[] = [];
  for await (const page of pages) read.push(page);
  return {
    rows: read.flatMap(({ rows }) => rows),
    faults: read.flatMap(({ faulty }) => faulty.map(({ reason }) => reason)),
    unknownFields: Object.assign({}, ...read.map(({ unknownFields }) => unknownFields)) as Record<string, number>,
    pages: read.length,
  };
}

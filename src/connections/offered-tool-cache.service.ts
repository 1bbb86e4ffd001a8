import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { type OfferedTool, offeredToolOfRow } from './offered-tool.js';
import { listOfferedSince } from './tools.sql.js';

export { toolsFingerprintSql } from './tools.sql.js';

interface CachedToolList {
  /** Fingerprint of all rows that the list was built from. */
  fingerprint: string;
  tools: readonly OfferedTool[];
}

/** Limit for all cached lists together: about 100 MB if every schema has 4 KiB. */
const maxCachedTools = 20_000;

/**
 * The tools of connections, loaded again only when one of their rows has changed. Every read checks the fingerprint in
 * the database, in the same statement or just before it, so each transaction gets what it sees. An unchanged list is
 * the same array.
 */
@Injectable()
export class OfferedToolCache {
  private readonly entries = new Map<string, CachedToolList>();
  private toolCount = 0;

  /** `seen`: the fingerprint that the transaction has just read. */
  async list(
    tx: Tx,
    tenantId: string,
    connectionIds: readonly string[],
    seen?: string,
  ): Promise<readonly OfferedTool[]> {
    const key = [tenantId, ...connectionIds].join();
    const known = this.entries.get(key);
    if (known && known.fingerprint === seen) return this.reuse(key, known);
    const rows = await tx.run(listOfferedSince, [tenantId, connectionIds, known?.fingerprint ?? null]);
    const [{ print }] = rows;
    if (known?.fingerprint === print) return this.reuse(key, known);
    const tools = rows.filter((row) => row.name !== null).map(offeredToolOfRow);
    this.store(key, { fingerprint: print, tools });
    return tools;
  }

  /** Moves the list to the end of the eviction order (least recently used first). */
  private reuse(key: string, list: CachedToolList): readonly OfferedTool[] {
    this.store(key, list);
    return list.tools;
  }

  private store(key: string, list: CachedToolList): void {
    this.evict(key);
    this.entries.set(key, list);
    this.toolCount += list.tools.length;
    for (const oldest of this.entries.keys()) {
      if (this.toolCount <= maxCachedTools || oldest === key) return;
      this.evict(oldest);
    }
  }

  private evict(key: string): void {
    this.toolCount -= this.entries.get(key)?.tools.length ?? 0;
    this.entries.delete(key);
  }
}

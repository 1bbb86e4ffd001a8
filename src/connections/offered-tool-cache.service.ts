import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
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
  private readonly lists = new LRUCache<string, CachedToolList>({
    maxSize: maxCachedTools,
    sizeCalculation: ({ tools }) => Math.max(1, tools.length),
  });

  /** `seen`: the fingerprint that the transaction has just read. */
  async list(
    tx: Tx,
    tenantId: string,
    connectionIds: readonly string[],
    seen?: string,
  ): Promise<readonly OfferedTool[]> {
    const key = [tenantId, ...connectionIds].join();
    const known = this.lists.get(key);
    if (known && known.fingerprint === seen) return known.tools;
    const rows = await tx.run(listOfferedSince, [tenantId, connectionIds, known?.fingerprint ?? null]);
    const [{ print }] = rows;
    if (known?.fingerprint === print) return known.tools;
    const tools = rows.filter((row) => row.name !== null).map(offeredToolOfRow);
    this.lists.set(key, { fingerprint: print, tools });
    return tools;
  }
}

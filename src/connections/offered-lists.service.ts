import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { client } from '../platform/database/database.service.js';
import { type OfferedRow, type OfferedTool, toOffered } from './offered-tool.js';
import { listOfferedSince } from './tools.sql.js';

export { printOfTools } from './tools.sql.js';

interface Kept {
  /** Of the versions of all rows that it was made of. */
  print: string;
  tools: readonly OfferedTool[];
}
/** A row without a tool says that there is none, or that the list is as it was. */
type Row = { print: string } & (OfferedRow | { name: null });

/** Tools in memory, all lists together: some 100 MB where every schema has 4 KiB. */
const mostTools = 20_000;

/**
 * The tools of connections, read only when one of their rows has changed. Whether one has is asked of the tables each time,
 * in the statement that reads or just before it: what a transaction sees is what it gets. The same list is the same array.
 */
@Injectable()
export class OfferedLists {
  private readonly kept = new Map<string, Kept>();
  private tools = 0;

  /** `seen`: their print as the transaction has just read it. */
  async of(
    tx: EntityManager,
    tenantId: string,
    connectionIds: readonly string[],
    seen?: string,
  ): Promise<readonly OfferedTool[]> {
    const key = [tenantId, ...connectionIds].join();
    const known = this.kept.get(key);
    if (known && known.print === seen) return this.again(key, known);
    const connection = await client(tx);
    const values = [tenantId, connectionIds, known?.print ?? null];
    const { rows } = await connection.query<Row>({ ...listOfferedSince, values });
    const [{ print }] = rows;
    if (known?.print === print) return this.again(key, known);
    const tools = rows.filter((row) => row.name !== null).map(toOffered);
    this.keep(key, { print, tools });
    return tools;
  }

  /** The least recently used goes first. */
  private again(key: string, list: Kept): readonly OfferedTool[] {
    this.keep(key, list);
    return list.tools;
  }

  private keep(key: string, list: Kept): void {
    this.drop(key);
    this.kept.set(key, list);
    this.tools += list.tools.length;
    for (const oldest of this.kept.keys()) {
      if (this.tools <= mostTools || oldest === key) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.tools -= this.kept.get(key)?.tools.length ?? 0;
    this.kept.delete(key);
  }
}

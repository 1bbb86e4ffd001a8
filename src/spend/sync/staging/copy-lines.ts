import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const chunkLength = 64 * 1024;

/**
 * Copies lines into a table; each line is one row in COPY text format. All lines are built before the first is sent, so
 * their source objects can be freed while the database reads.
 */
export async function copyLines(client: PoolClient, target: string, lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from([...chunks(lines)]), client.query(copyFrom(`copy ${target} from stdin`)));
}

function* chunks(lines: Iterable<string>): Generator<Buffer> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk, 'latin1'); // numbers and days only
    chunk = '';
  }
  if (chunk) yield Buffer.from(chunk, 'latin1');
}

import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const chunkLength = 64 * 1024;

/**
 * Puts lines into a table; each is the text of one row, as COPY reads it. All are made before the first is sent: what they
 * are made of need not be kept while the database takes them.
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

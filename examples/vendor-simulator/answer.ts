import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export const json = { 'content-type': 'application/json; charset=utf-8' };

/** Sends a small response. */
export function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...json, ...headers }).end(JSON.stringify(body));
}

/** Streams an object whose lists may be generators row by row, so that large responses never fill the memory. */
export async function stream(response: ServerResponse, body: object, headers: Record<string, string> = {}) {
  response.writeHead(200, { ...json, ...headers });
  const rows = Readable.from(pieces(body));
  await pipeline(rows, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error; // the client disconnected
  });
}

export function sendHalf(response: ServerResponse, body: object): void {
  const whole = [...pieces(body)].join('');
  response.writeHead(200, json).end(whole.slice(0, Math.ceil(whole.length / 2)));
}

export function sendHuge(response: ServerResponse): void {
  const block = `"${'z'.repeat(65_536)}",`;
  const blocks = function* () {
    yield '{"data":[';
    for (let sent = 0; sent < 10_000_000; sent += block.length) yield block;
    yield '0]}';
  };
  response.writeHead(200, json);
  Readable.from(blocks()).pipe(response);
}

function* pieces(body: object): Generator<string> {
  let piece = '{';
  for (const [place, [name, value]] of Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .entries()) {
    piece += `${place ? ',' : ''}${JSON.stringify(name)}:`;
    if (!isGenerator(value)) {
      piece += JSON.stringify(value);
      continue;
    }
    let separator = '[';
    for (const row of value) {
      piece += separator + JSON.stringify(row);
      separator = ',';
      if (piece.length > 65_536) {
        yield piece;
        piece = '';
      }
    }
    piece += separator === '[' ? '[]' : ']';
  }
  yield `${piece}}`;
}

const isGenerator = (value: unknown): value is Iterator<object> & Iterable<object> =>
  typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;

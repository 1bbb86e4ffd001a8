import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A simulated embedding model for tests and demos: `POST /v1/embeddings` of OpenAI's API, with its limits and faults.
 * A vector is the sum of the directions of its words; words of the same meaning share most of their direction.
 */

export interface EmbeddingRequest {
  model: string;
  input: string[];
  encoding_format?: 'float' | 'base64';
  dimensions?: number;
}

/** The next answer instead of embeddings. */
export type EmbeddingFault =
  | { status: number; retryAfter?: string }
  | { body: string }
  /** One embedding too few. */
  | 'incomplete'
  /** Closes the connection without an answer. */
  | 'cut';

export interface EmbeddingSimulator {
  /** Base URL, including `/v1`. */
  url: string;
  requests: EmbeddingRequest[];
  /** Answers the next requests with these, one each. */
  fail(...faults: EmbeddingFault[]): void;
  /** Changes the limits while it runs. */
  limit(limits: { inputs?: number; characters?: number }): void;
  close(): Promise<void>;
}

export interface EmbeddingOptions {
  apiKey?: string;
  dimensions?: number;
  /** Groups of words with the same meaning, in lower case. */
  synonyms?: string[][];
}

export async function startEmbeddingSimulator({
  apiKey,
  dimensions = 128,
  synonyms = [],
}: EmbeddingOptions = {}): Promise<EmbeddingSimulator> {
  const requests: EmbeddingRequest[] = [];
  const faults: EmbeddingFault[] = [];
  const limits = { inputs: 2048, characters: 30_000 };
  const meanings = new Map(synonyms.flatMap((group) => group.map((word) => [word, group[0]])));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (apiKey && request.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(response, 401, 'Incorrect API key provided');
    if (request.url !== '/v1/embeddings' || request.method !== 'POST') return refuse(response, 404, 'Unknown address');
    const asked = JSON.parse(await read(request)) as EmbeddingRequest;
    requests.push(asked);
    const fault = faults.shift();
    if (fault === 'cut') return void response.destroy();
    if (typeof fault === 'object' && 'body' in fault) return void response.end(fault.body);
    if (typeof fault === 'object') return refuse(response, fault.status, 'Simulated failure', fault.retryAfter);
    if (asked.input.length > limits.inputs) return refuse(response, 413, 'Too many inputs');
    if (asked.input.some((input) => !input)) return refuse(response, 400, 'An input is empty');
    if (asked.input.some((input) => input.length > limits.characters))
      return refuse(response, 400, 'Input is too long');
    const size = asked.dimensions ?? dimensions;
    const data = asked.input.map((input, index) => ({
      object: 'embedding',
      index,
      embedding: encode(embed(input, size, meanings), asked.encoding_format),
    }));
    if (fault === 'incomplete') data.pop();
    data.reverse(); // clients have to sort by index
    const total_tokens = asked.input.reduce((sum, input) => sum + input.split(/\s+/).length, 0);
    const body = { object: 'list', data, model: asked.model, usage: { prompt_tokens: total_tokens, total_tokens } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, 500, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    fail: (...next) => void faults.push(...next),
    limit: (next) => void Object.assign(limits, next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The unit vector of a text. */
function embed(text: string, dimensions: number, meanings: ReadonlyMap<string, string> = new Map()): number[] {
  const sum = new Array<number>(dimensions).fill(0);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const meaning = meanings.get(word);
    addDirection(sum, meaning ?? word, 1);
    if (meaning && meaning !== word) addDirection(sum, word, 0.3);
  }
  const norm = Math.hypot(...sum) || 1;
  return sum.map((value) => value / norm);
}

function addDirection(sum: number[], word: string, factor: number): void {
  for (let block = 0; block * 32 < sum.length; block++) {
    const bytes = createHash('sha256').update(`${block} ${word}`).digest();
    for (let index = 0; index < 32 && block * 32 + index < sum.length; index++)
      sum[block * 32 + index] += factor * (bytes[index] / 127.5 - 1);
  }
}

const encode = (vector: number[], encoding: EmbeddingRequest['encoding_format']): number[] | string =>
  encoding === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;

function refuse(response: ServerResponse, status: number, message: string, retryAfter?: string): void {
  if (retryAfter) response.setHeader('retry-after', retryAfter);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

async function read(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

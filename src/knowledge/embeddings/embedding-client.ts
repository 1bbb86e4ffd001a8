import { z } from 'zod';

/** The API that computes the vectors of passages and questions. */
export interface EmbeddingEndpoint {
  /** Includes the version. Has no trailing slash. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  /** Requested from the model. Null: the default of the model. */
  dimensions: number | null;
  encoding: 'base64' | 'float';
}

export interface Embeddings {
  /** In the order of the inputs. */
  vectors: Float32Array[];
  tokens: number;
}

/** The provider refused or failed. */
export class EmbeddingError extends Error {
  constructor(
    message: string,
    /** Null: the response is not a list of embeddings. */
    readonly status: number | null,
    /** From the header Retry-After. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  /** The request may have too many inputs, or an input that is too long. Providers use 400 for other errors, too. */
  get isTooLarge(): boolean {
    return this.status === 400 || this.status === 413;
  }
}

const responseSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.union([z.string(), z.array(z.number())]) })),
  usage: z.object({ total_tokens: z.number().min(0) }).optional(),
});

const maxDimensions = 8192;

/** Calls `POST /embeddings` of OpenAI's API. `fetch` enforces the limits of outbound requests. */
export async function requestEmbeddings(
  endpoint: EmbeddingEndpoint,
  inputs: readonly string[],
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<Embeddings> {
  const { baseUrl, apiKey, model, dimensions, encoding } = endpoint;
  const response = await fetch(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input: inputs, encoding_format: encoding, ...(dimensions && { dimensions }) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new EmbeddingError(
      `The embedding provider answered with status ${response.status}.`,
      response.status,
      retryAfterSeconds(response.headers.get('retry-after')),
    );
  return parseEmbeddings(text, inputs);
}

function parseEmbeddings(text: string, inputs: readonly string[]): Embeddings {
  const parsed = responseSchema.safeParse(parseJson(text));
  if (!parsed.success) throw invalid('a response that is not a list of embeddings');
  const { data, usage } = parsed.data;
  // a huge index would create an array that takes minutes to iterate
  if (data.some(({ index }) => index >= inputs.length)) throw invalid('an embedding with an index out of range');
  const vectors = new Array<Float32Array | undefined>(inputs.length);
  for (const { index, embedding } of data) vectors[index] = toVector(embedding);
  const complete = vectors.flatMap((vector) => vector ?? []);
  const isComplete = [data, vectors, complete].every(({ length }) => length === inputs.length);
  if (!isComplete) throw invalid(`${data.length} embeddings for ${inputs.length} inputs`);
  if (complete.some(({ length }) => length !== complete[0].length)) throw invalid('embeddings of different lengths');
  const tokens = usage?.total_tokens ?? estimatedTokens(inputs);
  return { vectors: complete, tokens };
}

function toVector(embedding: string | number[]): Float32Array {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding);
  const isUsable = vector.length > 0 && vector.length <= maxDimensions && vector.every(Number.isFinite);
  if (!isUsable || !vector.some((value) => value !== 0)) throw invalid('an invalid vector');
  return vector;
}

/** Little-endian 32-bit numbers. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4) throw invalid('an invalid vector');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

const invalid = (what: string) => new EmbeddingError(`The embedding provider returned ${what}.`, null);

/** A token has about four characters. */
const estimatedTokens = (inputs: readonly string[]) =>
  Math.ceil(inputs.reduce((sum, input) => sum + input.length, 0) / 4);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function retryAfterSeconds(header: string | null): number | null {
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

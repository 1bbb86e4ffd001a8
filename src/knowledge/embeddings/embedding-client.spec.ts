import { describe, expect, it } from 'vitest';
import { embedBatch } from './embedding-batch.js';
import { EmbeddingError, type Embeddings, requestEmbeddings } from './embedding-client.js';

const endpoint = { baseUrl: 'https://model.test/v1', model: 'm', dimensions: null, encoding: 'base64' as const };
const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');
const answering =
  (body: unknown, init: ResponseInit = {}) =>
  async () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), init);
const item = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding });

describe('an embeddings response', () => {
  it('is sorted by index, with vectors as numbers or Base64', async () => {
    const body = { data: [item(1, base64(0, 2)), item(0, [1, 0])], usage: { total_tokens: 7 } };
    const { vectors, tokens } = await requestEmbeddings(endpoint, ['a', 'b'], answering(body));
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 2],
    ]);
    expect(tokens).toBe(7);
  });

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['no list of embeddings', { error: 'no' }],
    ['too few embeddings', { data: [item(0, [1])] }],
    ['the same index twice', { data: [item(0, [1]), item(0, [1])] }],
    ['an index out of range', { data: [item(0, [1]), item(2, [1])] }],
    ['a huge index', { data: [item(0, [1]), item(2 ** 27, [1])] }],
    ['different lengths', { data: [item(0, [1]), item(1, [1, 2])] }],
    ['only zeros', { data: [item(0, [0]), item(1, [1])] }],
    ['infinite numbers', { data: [item(0, base64(Infinity)), item(1, [1])] }],
    ['an incomplete number', { data: [item(0, 'AAAA'), item(1, [1])] }],
    ['empty vectors', { data: [item(0, []), item(1, [])] }],
  ])('is rejected with %s', async (_, body) => {
    await expect(requestEmbeddings(endpoint, ['a', 'b'], answering(body))).rejects.toMatchObject({ status: null });
  });

  it('with an error contains its status and Retry-After, but not its text', async () => {
    const refused = answering('no', { status: 429, headers: { 'retry-after': '17' } });
    await expect(requestEmbeddings(endpoint, ['a'], refused)).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 17,
    });
    await expect(requestEmbeddings(endpoint, ['a'], answering('secret', { status: 500 }))).rejects.toThrow(
      /^The embedding provider answered with status 500\.$/,
    );
  });
});

describe('a batch of inputs', () => {
  const tooLarge = new EmbeddingError('too large', 413);
  const vectorOf = (input: string) => Float32Array.from([input.length]);
  const provider = (most: number, longest: number) => {
    const sizes: number[] = [];
    const embed = async (inputs: readonly string[]): Promise<Embeddings> => {
      sizes.push(inputs.length);
      if (inputs.length > most || inputs.some(({ length }) => length > longest)) throw tooLarge;
      return { vectors: inputs.map(vectorOf), tokens: 1 };
    };
    return { sizes, embed };
  };

  it('is halved until the provider accepts it, and later requests are not larger', async () => {
    const { sizes, embed } = provider(16, 1000);
    const { vectors, maxInputs } = await embedBatch(
      Array.from({ length: 64 }, (_, n) => 'x'.repeat(n + 1)),
      64,
      embed,
    );
    expect(vectors.map((vector) => vector?.[0])).toEqual(Array.from({ length: 64 }, (_, n) => n + 1));
    expect(sizes).toEqual([64, 32, 16, 16, 16, 16]);
    expect(maxInputs).toBe(16);
  });

  it('keeps the size of requests if it has fewer inputs', async () => {
    expect((await embedBatch(['a', 'b', 'c'], 64, provider(64, 100).embed)).maxInputs).toBe(64);
    expect((await embedBatch([], 64, provider(64, 100).embed)).maxInputs).toBe(64);
  });

  it('fails if the provider refuses every text, instead of leaving all passages without vectors', async () => {
    const refusing = () => Promise.reject(new EmbeddingError('no credit', 400));
    await expect(embedBatch(['a', 'b'], 64, refusing)).rejects.toMatchObject({ status: 400 });
  });

  it('shortens a text that is too long, and skips one that is still too long at the minimum', async () => {
    const inputs = ['a', 'y'.repeat(900), 'b'];
    expect((await embedBatch(inputs, 64, provider(64, 500).embed)).vectors.map((vector) => vector?.[0])).toEqual([
      1, 450, 1,
    ]);
    expect((await embedBatch(inputs, 64, provider(64, 100).embed)).vectors[1]).toBeNull();
  });

  it('grows again after a single text that the provider refuses', async () => {
    const inputs = Array.from({ length: 64 }, (_, n) => (n === 20 ? 'forbidden' : 'x'));
    const sizes: number[] = [];
    const { vectors, maxInputs } = await embedBatch(inputs, 64, async (some) => {
      sizes.push(some.length);
      if (some.some((input) => input.startsWith('forbidden'))) throw new EmbeddingError('refused', 400);
      return { vectors: some.map(vectorOf), tokens: 1 };
    });
    expect(vectors.map((vector) => vector === null)).toEqual(inputs.map((_, n) => n === 20));
    expect(sizes.length).toBeLessThan(25);
    expect(maxInputs).toBeGreaterThanOrEqual(32);
  });

  it('fails with any other error', async () => {
    const failing = () => Promise.reject(new EmbeddingError('no', 500));
    await expect(embedBatch(['a', 'b'], 64, failing)).rejects.toMatchObject({ status: 500 });
  });
});

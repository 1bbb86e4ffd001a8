import { EmbeddingError, type Embeddings } from './embedding-client.js';

type Embed = (inputs: readonly string[]) => Promise<Embeddings>;

export interface EmbeddedBatch {
  /** In the order of the inputs. Null if the model cannot embed an input, even when it is shortened. */
  vectors: (Float32Array | null)[];
  /** The largest number of inputs in a request that the provider does not refuse, as far as known. */
  maxInputs: number;
}

const minCharacters = 200;

/**
 * Embeds all inputs, at most `maxInputs` in a request. If the provider refuses a request as too large (400 or 413), the
 * number of inputs is halved, and then the text of a single input.
 */
export async function embedBatch(inputs: readonly string[], maxInputs: number, embed: Embed): Promise<EmbeddedBatch> {
  const vectors: (Float32Array | null)[] = [];
  let size = maxInputs;
  for (let at = 0; at < inputs.length;) {
    const some = inputs.slice(at, at + size);
    try {
      vectors.push(...(await embed(some)).vectors);
      at += some.length;
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isTooLarge) throw error;
      if (some.length > 1) {
        size = Math.ceil(some.length / 2);
        continue;
      }
      vectors.push(await embedShortened(some[0], embed));
      at++;
    }
  }
  return { vectors, maxInputs: size };
}

async function embedShortened(input: string, embed: Embed): Promise<Float32Array | null> {
  for (let length = Math.floor(input.length / 2); length >= minCharacters; length = Math.floor(length / 2)) {
    try {
      const { vectors } = await embed([input.slice(0, length).toWellFormed()]);
      return vectors[0];
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isTooLarge) throw error;
    }
  }
  // providers also answer 400 for other reasons: this request fails then, and the passages are embedded later
  await embed(['test']);
  return null;
}

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
 * number of inputs is halved, and then the text of a single input. After such an input the number doubles again with
 * each request, because not the number was the reason.
 */
export async function embedBatch(inputs: readonly string[], maxInputs: number, embed: Embed): Promise<EmbeddedBatch> {
  const vectors: (Float32Array | null)[] = [];
  let size = maxInputs;
  let hasRefusedInput = false;
  for (let at = 0; at < inputs.length;) {
    const some = inputs.slice(at, at + size);
    try {
      vectors.push(...(await embed(some)).vectors);
      at += some.length;
      if (hasRefusedInput) size = Math.min(maxInputs, size * 2);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isTooLarge) throw error;
      if (some.length > 1) {
        size = Math.ceil(some.length / 2);
        continue;
      }
      vectors.push(await embedShortened(some[0], embed));
      hasRefusedInput = true;
      size = Math.min(maxInputs, 2);
      at++;
    }
  }
  return { vectors, maxInputs: hasRefusedInput ? maxInputs : size };
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

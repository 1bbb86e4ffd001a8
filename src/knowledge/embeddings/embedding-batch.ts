import { EmbeddingError, type Embeddings } from './embedding-client.js';

/** The vector of each input; null if the model cannot embed it even when it is shortened. */
export interface EmbeddedBatch {
  vectors: (Float32Array | null)[];
  /** The number of inputs that the provider accepted, for the next batch. */
  accepted: number;
}

const leastCharacters = 200;

/**
 * Embeds all inputs. If the provider refuses a request as too large (400 or 413), it halves the inputs, and then the
 * text of a single input.
 */
export async function embedBatch(
  inputs: readonly string[],
  embed: (inputs: readonly string[]) => Promise<Embeddings>,
): Promise<EmbeddedBatch> {
  const vectors: (Float32Array | null)[] = [];
  let size = inputs.length;
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
  return { vectors, accepted: size };
}

async function embedShortened(
  input: string,
  embed: (inputs: readonly string[]) => Promise<Embeddings>,
): Promise<Float32Array | null> {
  for (let length = Math.floor(input.length / 2); length >= leastCharacters; length = Math.floor(length / 2)) {
    try {
      const { vectors } = await embed([input.slice(0, length).toWellFormed()]);
      return vectors[0];
    } catch (error) {
      if (!(error instanceof EmbeddingError) || !error.isTooLarge) throw error;
    }
  }
  return null;
}

/** Chunks whose terms a worker returns in one message. Larger messages take too long to receive. */
export const chunksPerTermBatch = 200;

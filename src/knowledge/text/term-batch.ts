/** Chunks whose terms come with one answer of a worker: a larger one would take long to receive. */
export const chunksPerTermBatch = 200;

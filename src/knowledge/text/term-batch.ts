/** The number of chunks in one message from a worker with their terms. Larger messages take too long to receive. */
export const chunksPerTermBatch = 200;

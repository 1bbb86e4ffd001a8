/** Never twice at a time, and once more after the last time it was asked for. */
export function coalesced(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work().catch(onError);
    }
    isRunning = false;
  };
}

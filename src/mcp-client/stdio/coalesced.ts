/** Runs `work` never concurrently, and once more if it was requested during a run. */
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

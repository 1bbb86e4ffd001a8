/** The CPU time of this thread in milliseconds. It leaves out waiting, other threads and most of garbage collection. */
export async function cpuMsOf(act: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The least CPU time of three runs, which excludes most other work of the thread, such as garbage collection. */
export async function leastCpuMsOf(act: () => unknown): Promise<number> {
  return Math.min(await cpuMsOf(act), await cpuMsOf(act), await cpuMsOf(act));
}

/**
 * The CPU time of this thread beyond a tenth of the elapsed time, in milliseconds. A server in this thread works
 * periodically, and a test asks for the result, so an act that waits long uses CPU time although it computes nothing.
 */
export async function cpuMsBeyondWaiting(act: () => unknown): Promise<number> {
  const start = performance.now();
  const used = await cpuMsOf(act);
  return used - (performance.now() - start) / 10;
}

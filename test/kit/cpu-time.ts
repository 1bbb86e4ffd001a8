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

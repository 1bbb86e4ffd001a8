import { stallDetector } from '../progress.ts';

/** Polls until there is a result. */
export async function waitFor<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const failIfStalled = stallDetector(`${what} did not arrive`);
  for (;;) {
    const result = await find();
    if (result !== undefined) return result;
    failIfStalled(undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

import { Agent, request } from 'undici';
import type { Measured } from './load.ts';

/**
 * One caller per connection, each with one task at a time: send it, then poll until it has ended. The wire protocol of
 * the specification has no blocking send, so that callers without streaming must poll.
 */
export async function toTheEnd(
  url: string,
  headers: Record<string, string>,
  body: (id: string) => string,
  callers: number,
  seconds: number,
): Promise<Measured> {
  const dispatcher = new Agent({ connections: callers });
  const until = performance.now() + seconds * 1000;
  const taken: number[] = [];
  const json = async (address: string, method: 'GET' | 'POST', text?: string) => {
    const response = await request(`${url}${address}`, { method, headers, body: text, dispatcher });
    if (response.statusCode !== 200)
      throw new Error(`${address}: ${response.statusCode} ${await response.body.text()}`);
    return (await response.body.json()) as { status: { state: string } };
  };
  const caller = async () => {
    while (performance.now() < until) {
      const id = crypto.randomUUID();
      const before = performance.now();
      await json('/tasks/send', 'POST', body(id));
      for (let pauseMs = 20; ; pauseMs = Math.min(200, pauseMs * 1.5)) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const { status } = await json(`/tasks/${id}`, 'GET');
        if (status.state === 'completed') break;
        if (!['submitted', 'working'].includes(status.state))
          throw new Error(`a task ended as ${JSON.stringify(status)}`);
      }
      taken.push(performance.now() - before);
    }
  };
  const before = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const elapsed = (performance.now() - before) / 1000;
  await dispatcher.close();
  taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(taken[Math.floor((taken.length - 1) * share)]);
  return { perSecond: taken.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

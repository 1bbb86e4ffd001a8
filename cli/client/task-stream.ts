import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from './event-stream.js';
import { LongWaitRetry } from './retry.js';
import { type ServerClient, unreachable } from './server-client.js';
import type { TaskUpdate } from './wire.js';

/** A stream that ended without an error, such as that of a server that stops, is opened again after this time. */
const reopenMs = 1000;

/** The updates of a task until its end. Continues after the last received event when the connection breaks. */
export async function* followTask(client: ServerClient, id: string): AsyncGenerator<TaskUpdate> {
  const retry = new LongWaitRetry();
  for (let lastId = ''; ;) {
    try {
      for await (const { event, data, id: number } of openStream(client, id, lastId)) {
        if (event !== 'task_update') continue;
        retry.succeeded();
        lastId = number;
        const update = JSON.parse(data) as TaskUpdate;
        yield update;
        if (update.final) return;
      }
      await sleep(reopenMs);
    } catch (error) {
      await retry.failed(error);
    }
  }
}

async function* openStream(client: ServerClient, id: string, lastId: string) {
  const headers = { accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) };
  const init = { headers, signal: new AbortController().signal }; // a stream has no time limit
  const response = await client.request(`/cli/tasks/${encodeURIComponent(id)}/events`, init);
  try {
    yield* readEvents(response);
  } catch (error) {
    throw unreachable(client.baseUrl, error);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.js';
import { readEvents } from './event-stream.js';
import { type ServerClient, unreachable } from './server-client.js';
import type { TaskUpdate } from './wire.js';

const reconnectMs = 2000;
/** A server that restarts is back by then. */
const maxFailures = 15;

/** The updates of a task until its end. Continues after the last received event when the connection breaks. */
export async function* followTask(client: ServerClient, id: string): AsyncGenerator<TaskUpdate> {
  let lastId = '';
  for (let failures = 0; ;) {
    try {
      const headers = { accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) };
      const init = { headers, signal: new AbortController().signal }; // a stream has no time limit
      const response = await client.request(`/cli/tasks/${encodeURIComponent(id)}/events`, init);
      for await (const event of readEvents(response)) {
        if (event.event !== 'task_update') continue;
        failures = 0;
        lastId = event.id;
        const update = JSON.parse(event.data) as TaskUpdate;
        yield update;
        if (update.final) return;
      }
    } catch (error) {
      if (error instanceof CommandError && error.code !== 'unreachable') throw error;
      if (++failures > maxFailures) throw error instanceof CommandError ? error : unreachable(client.baseUrl, error);
    }
    await sleep(reconnectMs);
  }
}

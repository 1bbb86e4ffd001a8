import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../../configurations/keys.service.js';
import type { Principal } from '../../principal/principal.js';
import type { StreamSlot } from '../../tasks/key-usage.service.js';
import { TaskStreams } from '../../tasks/task-streams.service.js';
import type { TaskUpdate } from '../../tasks/task-feed.service.js';
import { InFlight } from '../in-flight.service.js';
import { OpenError } from './errors.js';
import type { OpenedStream, Seen } from './operations.service.js';
import { isLastOf, Narration, type OpenUpdate } from './shapes.js';

/** How one update is written for one reader; `isLast`: the stream ends with it. */
type Written = (update: OpenUpdate, isLast: boolean) => object;

/**
 * Server-sent events of a task: first the task as it is, then what happens to it, each with the number of the update that it
 * comes from. A reader that comes back to a task with `Last-Event-ID` is told what it has missed, and not the task again.
 */
@Injectable()
export class OpenStreams {
  constructor(
    private readonly streams: TaskStreams,
    private readonly inFlight: InFlight,
    private readonly keys: KeysService,
  ) {}

  /** `begin` is called with a place reserved, which it need not know of. */
  async open(
    principal: Principal,
    [request, response]: [Request, Response],
    begin: (seen?: Seen) => Promise<OpenedStream>,
    written: Written,
  ): Promise<void> {
    const seen = seenBy(request);
    const slot = this.streams.reserve(principal);
    const opened = await begin(seen).catch((error: unknown) => {
      slot.release();
      throw error;
    });
    this.tell(principal, [request, response], opened, { slot, written });
  }

  private tell(
    principal: Principal,
    [request, response]: [Request, Response],
    { task, first, isToEnd, seen }: OpenedStream,
    { slot, written }: { slot: StreamSlot; written: Written },
  ): void {
    this.inFlight.leave(response);
    const isLast = isLastOf(isToEnd);
    // who comes back was told of pieces, and of which ones the updates say
    const narration = new Narration(seen ? { ...task, artifacts: null } : task);
    const event = (update: OpenUpdate, id: string, isEnd: boolean) => ({
      id,
      data: JSON.stringify(written(update, isEnd)),
    });
    const onWire = (update: TaskUpdate) => {
      const updates = narration.of(update);
      const told = updates.map((one, nth) => {
        const isWhole = nth === updates.length - 1;
        return event(one, isWhole ? `${update.number}` : `${update.number}.${nth + 1}`, isWhole && isLast(update));
      });
      return unseen(told, update, seen);
    };
    this.streams.open(
      principal,
      {
        task,
        after: seen ? 0 : task.number,
        slot,
        ...(seen ? {} : { first: event({ task: first }, `${task.number}`, isLast(task)) }),
        onWire,
        isLast,
        hasEnded: async () => (await this.keys.whyClosed(principal)) !== null,
      },
      request,
      response,
    );
  }
}

function unseen<T>(told: T[], { number }: TaskUpdate, seen?: Seen): T[] {
  if (!seen || number > seen.number + 1) return told;
  return number > seen.number ? told.slice(seen.events) : [];
}

/** `12`: all up to the update 12; `12.1`: all before it, and the first of its events. */
function seenBy(request: Request): Seen | undefined {
  const given = request.get('Last-Event-ID');
  if (!given) return undefined;
  const [, number, events] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(given) ?? [];
  if (number === undefined)
    throw new OpenError('invalidParams', 'Last-Event-ID is the id of an event of the stream.', [
      { pointer: '/Last-Event-ID', detail: 'is none of ours' },
    ]);
  return events === undefined
    ? { number: Number(number), events: 0 }
    : { number: Number(number) - 1, events: Number(events) };
}

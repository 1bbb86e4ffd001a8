import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../../configurations/keys.service.js';
import type { Principal } from '../../principal/principal.js';
import type { StreamSlot } from '../../tasks/key-usage.service.js';
import { isTerminal } from '../../tasks/task.entity.js';
import type { TaskUpdate } from '../../tasks/task-feed.service.js';
import { TaskStreams } from '../../tasks/task-streams.service.js';
import { InFlight } from '../in-flight.service.js';
import { lastEventId } from '../query.js';
import type { OpenedStream } from './operations.service.js';
import { isHandedBack, Narration, type OpenUpdate } from './shapes.js';

/** How one update is written for one reader; `isLast`: the stream ends with it. */
type Written = (update: OpenUpdate, isLast: boolean) => object;

/**
 * Server-sent events of a task: first the task as it is, then what happens to it, each with the number of the update that it
 * comes from. A reader that comes back with `Last-Event-ID` is told what it has missed, and not the task again.
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
    begin: () => Promise<OpenedStream>,
    written: Written,
  ): Promise<void> {
    const seen = lastEventId(request);
    const slot = this.streams.reserve(principal);
    const opened = await begin().catch((error: unknown) => {
      slot.release();
      throw error;
    });
    this.tell(principal, [request, response], opened, { slot, seen, written });
  }

  private tell(
    principal: Principal,
    [request, response]: [Request, Response],
    { task, first, isToEnd }: OpenedStream,
    { slot, seen, written }: { slot: StreamSlot; seen?: number; written: Written },
  ): void {
    this.inFlight.leave(response);
    const narration = new Narration(task);
    const endsWith = ({ status, chunk }: Pick<TaskUpdate, 'status' | 'chunk'>) =>
      !chunk && (isToEnd ? isTerminal(status.state) : isHandedBack(status));
    const event = (update: OpenUpdate, id: number, isLast: boolean) => ({
      id,
      data: JSON.stringify(written(update, isLast)),
    });
    this.streams.open(
      principal,
      {
        task,
        after: seen ?? task.number,
        slot,
        ...(seen === undefined ? { first: event({ task: first }, task.number, endsWith(task)) } : {}),
        onWire: (update) => {
          const updates = narration.of(update);
          const isLast = endsWith(update);
          return updates.map((one, nth) => event(one, update.number, isLast && nth === updates.length - 1));
        },
        isLast: endsWith,
        hasEnded: async () => (await this.keys.whyClosed(principal)) !== null,
      },
      request,
      response,
    );
  }
}

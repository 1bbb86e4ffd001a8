import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../../configurations/keys.service.js';
import type { Principal } from '../../principal/principal.js';
import type { InFlightSlot } from '../../platform/limits/in-flight-limit.js';
import { TaskStreamsService } from '../../tasks/task-streams.service.js';
import type { TaskUpdate } from '../../tasks/task-feed.service.js';
import { InFlightLimiter } from '../in-flight-limiter.service.js';
import { A2aError } from './errors.js';
import type { OpenedStream, StreamPosition } from './a2a-operations.service.js';
import { isLastUpdate, TaskUpdateMapper, type A2aStreamResponse } from './task-mapping.js';

/** Encodes an update for one reader. `isLast`: the stream ends with this update. */
type UpdateFormatter = (update: A2aStreamResponse, isLast: boolean) => object;

/**
 * Server-sent events of a task: first the current task, then its updates, each with the number of its update as id. A reader
 * that resumes with `Last-Event-ID` gets only the missed updates.
 */
@Injectable()
export class ProtocolStreamsService {
  constructor(
    private readonly streams: TaskStreamsService,
    private readonly inFlightLimiter: InFlightLimiter,
    private readonly keys: KeysService,
  ) {}

  /** Reserves a stream slot before it calls `begin`, and releases the slot if `begin` fails. */
  async open(
    principal: Principal,
    [request, response]: [Request, Response],
    begin: (position?: StreamPosition) => Promise<OpenedStream>,
    format: UpdateFormatter,
  ): Promise<void> {
    const position = parseLastEventId(request);
    const slot = this.streams.reserve(principal);
    const opened = await begin(position).catch((error: unknown) => {
      slot.release();
      throw error;
    });
    this.start(principal, [request, response], opened, { slot, format });
  }

  private start(
    principal: Principal,
    [request, response]: [Request, Response],
    { task, first, isOpenUntilTerminal, position }: OpenedStream,
    { slot, format }: { slot: InFlightSlot; format: UpdateFormatter },
  ): void {
    this.inFlightLimiter.release(response);
    const isLast = isLastUpdate(isOpenUntilTerminal);
    // a reader that resumes may have received artifact chunks; the replayed updates tell which artifacts those were
    const mapper = new TaskUpdateMapper(position ? { ...task, artifacts: null } : task);
    const event = (update: A2aStreamResponse, id: string, isEnd: boolean) => ({
      id,
      data: JSON.stringify(format(update, isEnd)),
    });
    const onWire = (update: TaskUpdate) => {
      const updates = mapper.toStreamResponses(update);
      const events = updates.map((one, nth) => {
        const isWhole = nth === updates.length - 1;
        return event(one, isWhole ? `${update.number}` : `${update.number}.${nth + 1}`, isWhole && isLast(update));
      });
      return skipSeenEvents(events, update, position);
    };
    this.streams.open(
      principal,
      {
        task,
        after: position ? 0 : task.number,
        slot,
        ...(position ? {} : { first: event({ task: first }, `${task.number}`, isLast(task)) }),
        onWire,
        isLast,
        hasLostAccess: async () => (await this.keys.revalidate(principal)) !== null,
      },
      request,
      response,
    );
  }
}

function skipSeenEvents<T>(events: T[], { number }: TaskUpdate, position?: StreamPosition): T[] {
  if (!position || number > position.number + 1) return events;
  return number > position.number ? events.slice(position.events) : [];
}

/** `12`: all updates up to 12. `12.1`: all updates before 12, and the first event of update 12. */
function parseLastEventId(request: Request): StreamPosition | undefined {
  const given = request.get('Last-Event-ID');
  if (!given) return undefined;
  const [, number, events] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(given) ?? [];
  if (number === undefined)
    throw new A2aError('invalidParams', 'Last-Event-ID must be the id of an event from this stream.', [
      { pointer: '/Last-Event-ID', detail: 'is not an event id' },
    ]);
  return events === undefined
    ? { number: Number(number), events: 0 }
    : { number: Number(number) - 1, events: Number(events) };
}

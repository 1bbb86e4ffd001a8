import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../configurations/keys.service.js';
import type { Principal } from '../principal/principal.js';
import type { StreamSlot } from '../tasks/key-usage.service.js';
import { TaskStreams } from '../tasks/task-streams.service.js';
import type { TaskView } from '../tasks/tasks.service.js';
import { InFlight } from './in-flight.service.js';
import { updateOnWire } from './wire.js';

/** Streams of `task_update` events. */
@Injectable()
export class UpdateStreams {
  constructor(
    private readonly streams: TaskStreams,
    private readonly inFlight: InFlight,
    private readonly keys: KeysService,
  ) {}

  reserve(principal: Principal): StreamSlot {
    return this.streams.reserve(principal);
  }

  open(
    principal: Principal,
    task: TaskView,
    after: number,
    slot: StreamSlot,
    request: Request,
    response: Response,
  ): void {
    this.inFlight.leave(response);
    const onWire = updateOnWire.bind(null, task.id);
    const hasEnded = async () => (await this.keys.whyClosed(principal)) !== null;
    this.streams.open(principal, { task, after, slot, onWire, hasEnded }, request, response);
  }
}

import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../configurations/keys.service.js';
import type { Principal } from '../principal/principal.js';
import type { InFlightSlot } from '../platform/limits/in-flight-limit.js';
import { TaskStreamsService } from '../tasks/task-streams.service.js';
import type { TaskView } from '../tasks/tasks.service.js';
import { InFlightLimiter } from './in-flight-limiter.service.js';
import { toTaskUpdateEvent } from './task-responses.js';

/** Streams of `task_update` events. */
@Injectable()
export class UpdateStreamsService {
  constructor(
    private readonly streams: TaskStreamsService,
    private readonly inFlightLimiter: InFlightLimiter,
    private readonly keys: KeysService,
  ) {}

  reserve(principal: Principal): InFlightSlot {
    return this.streams.reserve(principal);
  }

  open(
    principal: Principal,
    task: TaskView,
    after: number,
    slot: InFlightSlot,
    request: Request,
    response: Response,
  ): void {
    this.inFlightLimiter.release(response);
    const onWire = toTaskUpdateEvent.bind(null, task.id);
    const hasLostAccess = async () => (await this.keys.revalidate(principal)) !== null;
    this.streams.open(principal, { task, after, slot, onWire, hasLostAccess }, request, response);
  }
}

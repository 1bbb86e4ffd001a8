import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { overloaded } from '../platform/errors/general.error.js';
import { InFlightLimit, type InFlightSlot } from '../platform/limits/in-flight-limit.js';

/** All requests share one limit. */
const sharedKey = 'a2a';

/** Limits the requests in progress. Refuses new ones above the limit, so that the others are answered in time. */
@Injectable()
export class InFlightLimiter {
  private readonly requests = new InFlightLimit();
  private readonly slots = new WeakMap<Response, InFlightSlot>();

  constructor(private readonly config: Config) {}

  readonly acquire = (_request: Request, response: Response, next: NextFunction): void => {
    const slot = this.requests.acquire(sharedKey, this.config.limits.inFlight);
    if (!slot) {
      throw overloaded('The server is processing too many requests. Retry in a moment.', {
        headers: { 'Retry-After': '1' },
      });
    }
    this.slots.set(response, slot);
    response.once('close', slot.release);
    next();
  };

  /** Called early for open streams and for sends that only wait: neither occupies the server. */
  release(response: Response): void {
    this.slots.get(response)?.release();
  }
}

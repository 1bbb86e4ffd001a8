import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { overloaded } from '../platform/errors/general.error.js';

/** Requests that are being answered. Past a number of them new ones are refused at once, so that the rest are answered in time. */
@Injectable()
export class InFlightLimiter {
  private readonly activeResponses = new Set<Response>();

  constructor(private readonly config: Config) {}

  readonly acquire = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.activeResponses.size >= this.config.limits.inFlight) {
      throw overloaded('Too many requests are being answered at the moment.', { headers: { 'Retry-After': '1' } });
    }
    this.activeResponses.add(response);
    response.once('close', () => this.release(response));
    next();
  };

  /** A stream is answered once it is open, and nobody is busy with a send that only waits. */
  release(response: Response): void {
    this.activeResponses.delete(response);
  }
}

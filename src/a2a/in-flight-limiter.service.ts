import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { overloaded } from '../platform/errors/general.error.js';

/** Limits the requests in progress. Refuses new ones above the limit, so that the others are answered in time. */
@Injectable()
export class InFlightLimiter {
  private readonly activeResponses = new Set<Response>();

  constructor(private readonly config: Config) {}

  readonly acquire = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.activeResponses.size >= this.config.limits.inFlight) {
      throw overloaded('The server is processing too many requests. Retry in a moment.', {
        headers: { 'Retry-After': '1' },
      });
    }
    this.activeResponses.add(response);
    response.once('close', () => this.release(response));
    next();
  };

  /** Called early for open streams and for sends that only wait: neither occupies the server. */
  release(response: Response): void {
    this.activeResponses.delete(response);
  }
}

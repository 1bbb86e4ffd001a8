import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** An answer that is more than a body. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Sends what handlers give: a body as it is, an Answer with its status and headers. */
@Injectable()
export class Answering implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((given: unknown) => {
        if (!(given instanceof Answer)) return given;
        context.switchToHttp().getResponse<Response>().status(given.status).set(given.headers);
        return given.body;
      }),
    );
  }
}

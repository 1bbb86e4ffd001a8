import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** An answer that is more than a body. */
export class ApiResult {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Sends what handlers give: a body as it is, an Answer with its status and headers. */
@Injectable()
export class ApiResultInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((result: unknown) => {
        if (!(result instanceof ApiResult)) return result;
        context.switchToHttp().getResponse<Response>().status(result.status).set(result.headers);
        return result.body;
      }),
    );
  }
}

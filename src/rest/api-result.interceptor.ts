import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';

/** A response with a status and headers of its own. */
export class ApiResult {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** Applies the status and headers of an `ApiResult`. Other values are sent as the body. */
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

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from './request.js';

/** The principal from the credential guard. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).user,
);

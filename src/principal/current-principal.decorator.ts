import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from './request.js';

/** The principal that the credential guard found. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).user,
);

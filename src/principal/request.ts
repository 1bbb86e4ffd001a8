import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { GraphQLResolveInfo } from 'graphql';
import type { Principal } from './principal.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express has no other way to extend the request type
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface User extends Principal {}
    interface Request {
      id: string;
    }
  }
}

/** The request of a handler. With GraphQL, it is part of the context, the third argument of a resolver. */
export function requestOf(context: ExecutionContext): Request {
  if (context.getType<'http' | 'graphql'>() === 'graphql') return (context.getArgByIndex(2) as { req: Request }).req;
  return context.switchToHttp().getRequest<Request>();
}

/** True for a field of another handler's result, false for a query or mutation. */
export function isNestedField(context: ExecutionContext): boolean {
  if (context.getType<'http' | 'graphql'>() !== 'graphql') return false;
  const { parentType, schema } = context.getArgByIndex<GraphQLResolveInfo>(3);
  return parentType !== schema.getQueryType() && parentType !== schema.getMutationType();
}

export function isMutation(context: ExecutionContext): boolean {
  if (context.getType<'http' | 'graphql'>() !== 'graphql') return false;
  const { parentType, schema } = context.getArgByIndex<GraphQLResolveInfo>(3);
  return parentType === schema.getMutationType();
}

import { applyDecorators, createParamDecorator, HttpCode, SetMetadata } from '@nestjs/common';
import { z } from 'zod';
import { notFound } from '../platform/errors/general.error.js';
import { parseBody, parseJson, rawJson } from '../platform/http/read-json.js';
import { requestOf } from '../principal/request.js';
import type { AccessScope } from '../principal/principal.js';

const OPERATION = Symbol('operation');

/** One way that an operation is answered. */
export interface DeclaredAnswer {
  description: string;
  schema: z.ZodType;
  example: unknown;
  mediaType?: string;
  /** Headers of this answer, by name, with what they say. */
  headers?: Record<string, string>;
}

/** What the reference says about an operation, and what its handler is given: one declaration for both. */
export interface ApiOperation<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> {
  /** The name that generated clients have for it. */
  id: string;
  tag: string;
  summary: string;
  description: string;
  scope: Extract<AccessScope, 'api:read' | 'api:write'>;
  params?: P;
  query?: Q;
  body?: B;
  bodyExample?: z.input<B>;
  /** Request headers beyond those that every operation takes. */
  headers?: Record<string, string>;
  /** The first one is the usual one. */
  answers: Record<number, DeclaredAnswer>;
  /** Refusals beyond those that every operation has. */
  problems: readonly { code: string }[];
}

const emptyObject = z.strictObject({});

export const defineOperation = <
  P extends z.ZodObject = typeof emptyObject,
  Q extends z.ZodObject = typeof emptyObject,
  B extends z.ZodType = z.ZodUndefined,
>(
  declared: ApiOperation<P, Q, B>,
): ApiOperation<P, Q, B> => declared;

/** What a handler is given of a request, parsed as its operation declares. */
interface ParsedInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The body as it was written. */
  source: string;
}
export type OperationInput<O> =
  O extends ApiOperation<infer P, infer Q, infer B> ? ParsedInput<z.output<P>, z.output<Q>, z.output<B>> : never;

export const Serves = (served: ApiOperation) =>
  applyDecorators(SetMetadata(OPERATION, served), HttpCode(Number(Object.keys(served.answers)[0])));

export const operationOf = (handler: object): ApiOperation | undefined =>
  Reflect.getMetadata(OPERATION, handler) as ApiOperation | undefined;

/** Unknown parameters and members are refused: one that is misspelt would be ignored in silence. */
export const OperationRequest = createParamDecorator((_: unknown, context): ParsedInput<unknown, unknown, unknown> => {
  const { params = emptyObject, query = emptyObject, body } = operationOf(context.getHandler())!;
  const request = requestOf(context);
  const source = body ? rawJson(request) : '';
  return {
    params: parsePath(params, request.params),
    query: parseBody(query, request.query),
    body: body && parseBody(body, parseJson(source)),
    source,
  };
});

function parsePath(schema: z.ZodObject, params: unknown): unknown {
  const { data, success } = schema.safeParse(params);
  if (!success) throw notFound('Nothing exists at this address.');
  return data;
}

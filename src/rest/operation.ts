import { applyDecorators, createParamDecorator, HttpCode, SetMetadata } from '@nestjs/common';
import { z } from 'zod';
import { notFound } from '../platform/errors/general.error.js';
import { parseBody, parseJson, rawJson } from '../platform/http/read-json.js';
import { requestOf } from '../principal/request.js';
import type { AccessScope } from '../principal/principal.js';

const OPERATION = Symbol('operation');

/** A declared response of an operation. */
export interface DeclaredAnswer {
  description: string;
  schema: z.ZodType;
  example: unknown;
  mediaType?: string;
  /** Descriptions of the response headers, by name. */
  headers?: Record<string, string>;
}

/** Declares an operation for both the API reference and the input validation of its handler. */
export interface ApiOperation<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> {
  /** The name of the operation in generated clients. */
  id: string;
  tag: string;
  summary: string;
  description: string;
  scope: Extract<AccessScope, 'api:read' | 'api:write'>;
  params?: P;
  query?: Q;
  body?: B;
  bodyExample?: z.input<B>;
  /** Descriptions of request headers, in addition to the common headers. */
  headers?: Record<string, string>;
  /** The first response is the default. */
  answers: Record<number, DeclaredAnswer>;
  /** Problems in addition to the common ones. */
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

/** The request, parsed by the schemas of the operation. */
interface ParsedInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The raw body. */
  source: string;
}
export type OperationInput<O> =
  O extends ApiOperation<infer P, infer Q, infer B> ? ParsedInput<z.output<P>, z.output<Q>, z.output<B>> : never;

export const Serves = (served: ApiOperation) =>
  applyDecorators(SetMetadata(OPERATION, served), HttpCode(Number(Object.keys(served.answers)[0])));

export const operationOf = (handler: object): ApiOperation | undefined =>
  Reflect.getMetadata(OPERATION, handler) as ApiOperation | undefined;

/** Rejects unknown parameters and fields, so that a misspelled one is not silently ignored. */
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

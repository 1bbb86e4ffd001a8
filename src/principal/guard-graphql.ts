import type { INestApplication } from '@nestjs/common';
import { json, type Request, type RequestHandler } from 'express';
import type { Config } from '../platform/config/config.js';
import {
  forbidden,
  invalidRequest,
  methodNotAllowed,
  rateLimited,
  unauthenticated,
} from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import { sendGraphqlProblem } from '../platform/graphql/format-error.js';
import { usesIntrospection, parseWithinLimits, enforceQueryLimits } from '../platform/graphql/limits.js';
import { networkOf } from '../platform/http/network-of.js';
import { sameOrigin } from '../platform/http/same-origin.js';
import { RateLimit } from '../platform/limits/rate-limit.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Credential } from './allow.decorator.js';
import { authenticate } from './credential.guard.js';

/** Credentials of the administration API. A handler may accept fewer. */
const graphqlCredentials: Credential[] = ['session', 'admin-token'];

/** Installs the middleware that checks a request before the GraphQL server parses it. */
export function guardGraphql(app: INestApplication, config: Config): void {
  const { bodyBytes, jsonDepth, refusalsPerMinute } = config.limits;
  app.use(
    '/graphql',
    sameOrigin(config),
    requireCredential(refusalsPerMinute),
    json({ limit: bodyBytes }),
    checkDocument(jsonDepth, bodyBytes),
    sendGraphqlProblem(app.get(LogService)),
  );
}

/**
 * Rejects a request without an accepted credential before its body is read. Rejected requests are limited per network,
 * so that guessing and flooding cost the server little.
 */
function requireCredential(refusalsPerMinute: number): RequestHandler {
  const refusals = new RateLimit();
  return async (request, _response, next) => {
    if (request.method !== 'POST') throw methodNotAllowed('Send the query with POST.', { headers: { Allow: 'POST' } });
    await authenticate(request, graphqlCredentials).catch((error: unknown) => {
      const isRefused = error instanceof Problem && error.code === unauthenticated.code;
      const seconds = isRefused ? refusals.secondsToWait(networkOf(request.ip ?? 'unknown'), refusalsPerMinute) : 0;
      if (!seconds) throw error;
      throw rateLimited('This network sent too many requests without an accepted credential.', {
        headers: { 'Retry-After': String(seconds) },
      });
    });
    next();
  };
}

interface GraphqlBody {
  query?: unknown;
  variables?: unknown;
}

/** Rejects a document that is too expensive, before its validation. Only administrators may read the schema. */
const checkDocument =
  (jsonDepth: number, bodyBytes: number): RequestHandler =>
  async (request: Request<unknown, unknown, GraphqlBody | undefined>, _response, next) => {
    const { query, variables } = request.body ?? {};
    if (typeof query !== 'string' || !query) throw invalidRequest('Send a JSON object with a "query".');
    refuseLargeVariables(variables, jsonDepth);
    const document = parseWithinLimits(query);
    if (usesIntrospection(document)) await requireSchemaPermission(request as Request);
    enforceQueryLimits(document, (variables ?? {}) as Record<string, unknown>, { bodyBytes });
    next();
  };

async function requireSchemaPermission(request: Request): Promise<void> {
  const { permissions } = await authenticate(request, graphqlCredentials);
  if (!permissions.has('organization:manage')) throw forbidden('Only administrators may use introspection.');
}

/** Inputs are validated value by value: a megabyte of short values would take a second. */
const maxValues = 10_000;

function refuseLargeVariables(variables: unknown, maxDepth: number): void {
  let level = [variables];
  let values = 0;
  for (let depth = 0; level.length; depth++) {
    if (depth > maxDepth) throw invalidRequest(`"variables" is nested more than ${maxDepth} levels deep.`);
    values += level.length;
    if (values > maxValues) throw invalidRequest(`"variables" has more than ${maxValues} values.`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

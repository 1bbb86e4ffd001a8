import { z } from 'zod';
import { tenantPaused } from '../access/access.error.js';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import {
  internalError,
  invalidRequest,
  notFound,
  rateLimited,
  tooLarge,
  unauthenticated,
  unsupportedMediaType,
} from '../platform/errors/general.error.js';
import { type ProblemKind, problemKinds } from '../platform/errors/problem.js';
import { idempotencyKeyBusy, idempotencyKeyReused } from './rest.error.js';
import { JsonSchemaComponents } from './json-schemas.js';
import type { DeclaredAnswer, ApiOperation } from './operation.js';
import type { ServedOperation } from './routes.js';
import { exampleValues } from './schemas.js';

const version = '1.0.0';

/** What differs between the surfaces that serve the operations. */
export interface ApiDescription {
  title: string;
  description: string;
  baseUrl: string;
  /** Tags in addition to the common ones. */
  tags?: { name: string; description: string }[];
  /** Each is sufficient. */
  securitySchemes: Record<string, { type: 'oauth2' | 'http'; [property: string]: unknown }>;
}

const errorsDescription = `Errors are \`application/problem+json\` with a stable \`code\` and a JSON pointer for each invalid field.`;

const tags = [
  { name: 'You', description: 'The holder of the access token.' },
  { name: 'Configurations', description: 'Bundles of connected systems and policies.' },
  { name: 'Tools', description: 'Operations on connected systems, one call at a time.' },
  { name: 'Knowledge', description: 'Search and read the organization’s documents.' },
  { name: 'Tasks', description: 'Work for the service agent, described in plain language.' },
];

const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'URL of a page that explains the problem' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().meta({ description: 'Stable identifier for programs' }),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .meta({
        description: 'Each invalid field, with a JSON pointer into the body or /<name> of a parameter or header',
      }),
    callId: z.string().optional().meta({ description: 'Id of the tool call' }),
    scope: z.string().optional().meta({ description: 'The missing scope, for "insufficient_scope"' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });

/** Generates OpenAPI 3.1 from the declared operations. */
export function openApi(
  served: readonly ServedOperation[],
  { title, description, baseUrl, tags: moreTags = [], securitySchemes }: ApiDescription,
) {
  const schemas = new JsonSchemaComponents();
  const problem = schemas.ofInput(problemSchema);
  const paths: Record<string, Record<string, unknown>> = {};
  const schemes = Object.entries(securitySchemes);
  for (const one of served)
    (paths[one.path] ??= {})[one.method] = {
      ...describeOperation(one, schemas, problem, baseUrl),
      security: schemes.map(([name, { type }]) => ({ [name]: type === 'oauth2' ? [one.operation.scope] : [] })),
    };
  return {
    openapi: '3.1.1',
    info: { title, version, description: `${description}\n\n${errorsDescription}` },
    servers: [{ url: baseUrl }],
    tags: [...tags, ...moreTags],
    paths,
    components: {
      schemas: schemas.all,
      headers: headerComponents,
      securitySchemes,
    },
  };
}

function describeOperation(
  { method, operation }: ServedOperation,
  schemas: JsonSchemaComponents,
  problem: object,
  baseUrl: string,
) {
  const { id, tag, summary, description, scope, body, bodyExample, answers } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nScope: \`${scope}\``,
    parameters: describeParameters(method, operation, schemas),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.ofInput(body), example: bodyExample } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, describeResponse(method, answer, schemas)]),
      ),
      ...problemResponses(method, operation, problem, baseUrl),
    },
  };
}

function describeParameters(
  method: string,
  { params, query, headers = {} }: ApiOperation,
  schemas: JsonSchemaComponents,
) {
  const inHeader = (name: string, description: string, schema: object) => ({ name, in: 'header', description, schema });
  return [
    ...Object.entries(params?.shape ?? {}).map(([name, schema]) => describeParameter(name, 'path', schema, schemas)),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => describeParameter(name, 'query', schema, schemas)),
    ...Object.entries(headers).map(([name, text]) => inHeader(name, text, { type: 'string' })),
    ...(method === 'post' ? [inHeader('Idempotency-Key', idempotencyKeyDescription, idempotencyKeySchema)] : []),
  ];
}

const idempotencyKeyDescription =
  'A unique value for each request. If you send the request again with the same key within 24 hours, it takes effect once and gets the same response.';
const idempotencyKeySchema = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

function describeParameter(
  name: string,
  place: 'path' | 'query',
  schema: z.core.$ZodType,
  schemas: JsonSchemaComponents,
) {
  const { description, ...rest } = schemas.ofOutput(schema) as { description?: string };
  const required = place === 'path' || !z.safeParse(schema, undefined).success;
  return { name, in: place, required, description, schema: rest };
}

function describeResponse(
  method: string,
  { description, schema, example, mediaType, headers: own = {} }: DeclaredAnswer,
  schemas: JsonSchemaComponents,
) {
  const isStream = mediaType !== undefined;
  const reference = schemas.ofInput(schema);
  const content = isStream
    ? { schema: { type: 'string', contentMediaType: mediaType, contentSchema: reference }, example }
    : { schema: reference, example };
  const declaredHeaders = Object.entries(own).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: {
      ...Object.fromEntries(declaredHeaders),
      ...(method === 'get' && !isStream ? { ETag: headerReference('ETag') } : {}),
      ...commonHeaders,
    },
    content: { [mediaType ?? 'application/json']: content },
  };
}

const headerComponents = {
  ETag: { description: 'For If-None-Match: an unchanged response is 304', schema: { type: 'string' } },
  'X-Request-Id': { description: 'Identifies the request in the logs', schema: { type: 'string', format: 'uuid' } },
  'RateLimit-Limit': { description: 'Requests per minute, for you through this product', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Remaining requests', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the limit resets', schema: { type: 'integer' } },
};
const headerReference = (header: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${header}` });
const commonHeaders = {
  'X-Request-Id': headerReference('X-Request-Id'),
  'RateLimit-Limit': headerReference('RateLimit-Limit'),
  'RateLimit-Remaining': headerReference('RateLimit-Remaining'),
  'RateLimit-Reset': headerReference('RateLimit-Reset'),
};

/** One response per status, with an example for each code. */
function problemResponses(method: string, { params, body, problems }: ApiOperation, problem: object, baseUrl: string) {
  const possible = [
    invalidRequest,
    unauthenticated,
    insufficientScope,
    tenantPaused,
    ...(method === 'post' ? [idempotencyKeyBusy, idempotencyKeyReused] : []),
    ...(body ? [tooLarge, unsupportedMediaType] : []),
    ...(params ? [notFound] : []),
    ...problems,
    rateLimited,
    internalError,
  ];
  const known = problemKinds();
  const kinds = [...new Set(possible.map(({ code }) => code))].map((code) => known.get(code)!);
  const byStatus = Map.groupBy(kinds, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map(({ title }) => title).join('; '),
        headers: { 'X-Request-Id': headerReference('X-Request-Id') },
        content: {
          'application/problem+json': {
            schema: { allOf: [problem], properties: { code: { enum: ofStatus.map(({ code }) => code) } } },
            examples: Object.fromEntries(
              ofStatus.map((kind) => [kind.code, { summary: kind.title, value: problemExample(kind, baseUrl) }]),
            ),
          },
        },
      },
    ]),
  );
}

const problemExample = ({ code, title, status, explain }: ProblemKind, baseUrl: string) => ({
  type: `${baseUrl}/problems/${code}`,
  title,
  status,
  detail: explain,
  code,
  requestId: exampleValues.call,
});

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
import { keyBusy, keyReused } from './api.error.js';
import { JsonSchemas } from './json-schemas.js';
import type { DeclaredAnswer, Operation } from './operation.js';
import type { Served } from './routes.js';
import { sample } from './schemas.js';

const version = '1.0.0';

const about = `What a product does for one person, in that person’s organization, under that organization’s policies. An access token comes
from the authorization code flow with PKCE; to try something here, put one under *Authorize*.

Every refusal is \`application/problem+json\` with a stable \`code\`, and a JSON pointer for each fault of the input.`;

const tags = [
  { name: 'You', description: 'Whom the access token stands for.' },
  { name: 'Configurations', description: 'Bundles of connected systems and policies.' },
  { name: 'Tools', description: 'What can be done to connected systems, one call at a time.' },
  { name: 'Knowledge', description: 'What the organization has written down.' },
  { name: 'Tasks', description: 'Work in plain words, for the service agent.' },
];

const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'Address of a page that explains it' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().meta({ description: 'Stable: what programs look at' }),
    requestId: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .meta({
        description: 'Each fault of the input, with a JSON pointer into the body, or /<name> of a parameter or header',
      }),
    callId: z.string().optional().meta({ description: 'Of a tool call: its row in the records' }),
    scope: z.string().optional().meta({ description: 'Of "insufficient_scope": what is missing' }),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' });

/** OpenAPI 3.1, from the declarations of the operations alone. */
export function openApi(served: readonly Served[], baseUrl: string) {
  const schemas = new JsonSchemas();
  const problem = schemas.of(problemSchema);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of served) (paths[one.path] ??= {})[one.method] = describe(one, schemas, problem, baseUrl);
  return {
    openapi: '3.1.1',
    info: { title: 'Countersign API', version, description: about },
    servers: [{ url: baseUrl }],
    tags,
    paths,
    components: {
      schemas: schemas.all,
      headers,
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          description: 'Authorization code with PKCE (S256), for a product that an administrator has registered.',
          flows: {
            authorizationCode: {
              authorizationUrl: `${baseUrl}/oauth2/authorize`,
              tokenUrl: `${baseUrl}/oauth2/token`,
              refreshUrl: `${baseUrl}/oauth2/token`,
              scopes: { 'api:read': 'Look things up for you', 'api:write': 'Make changes for you; includes api:read' },
            },
          },
        },
        token: { type: 'http', scheme: 'bearer', description: 'An access token, `cs_api_…`' },
      },
    },
  };
}

function describe({ method, operation }: Served, schemas: JsonSchemas, problem: object, baseUrl: string) {
  const { id, tag, summary, description, scope, body, bodyExample, answers } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nScope: \`${scope}\``,
    security: [{ oauth: [scope] }, { token: [] }],
    parameters: parameters(method, operation, schemas),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.of(body), example: bodyExample } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, response(method, answer, schemas)]),
      ),
      ...refusals(method, operation, problem, baseUrl),
    },
  };
}

function parameters(method: string, { params, query, headers = {} }: Operation, schemas: JsonSchemas) {
  const inHeader = (name: string, description: string, schema: object) => ({ name, in: 'header', description, schema });
  return [
    ...Object.entries(params?.shape ?? {}).map(([name, schema]) => parameter(name, 'path', schema, schemas)),
    ...Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter(name, 'query', schema, schemas)),
    ...Object.entries(headers).map(([name, words]) => inHeader(name, words, { type: 'string' })),
    ...(method === 'post' ? [inHeader('Idempotency-Key', keyWords, keySchema)] : []),
  ];
}

const keyWords =
  'Of your choice, new for each request. Sent again with the same key within 24 hours, the same request has the same answer and takes effect once.';
const keySchema = { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

function parameter(name: string, place: 'path' | 'query', schema: z.core.$ZodType, schemas: JsonSchemas) {
  const { description, ...rest } = schemas.parsed(schema) as { description?: string };
  const required = place === 'path' || !z.safeParse(schema, undefined).success;
  return { name, in: place, required, description, schema: rest };
}

function response(
  method: string,
  { description, schema, example, mediaType, headers: own = {} }: DeclaredAnswer,
  schemas: JsonSchemas,
) {
  const isStream = mediaType !== undefined;
  const reference = schemas.of(schema);
  const content = isStream
    ? { schema: { type: 'string', contentMediaType: mediaType, contentSchema: reference }, example }
    : { schema: reference, example };
  const said = Object.entries(own).map(([name, words]) => [name, { description: words, schema: { type: 'string' } }]);
  return {
    description,
    headers: {
      ...Object.fromEntries(said),
      ...(method === 'get' && !isStream ? { ETag: ref('ETag') } : {}),
      ...everywhere,
    },
    content: { [mediaType ?? 'application/json']: content },
  };
}

const headers = {
  ETag: { description: 'For If-None-Match: an unchanged answer is 304', schema: { type: 'string' } },
  'X-Request-Id': { description: 'What an operator finds the request by', schema: { type: 'string', format: 'uuid' } },
  'RateLimit-Limit': { description: 'Requests a minute, for you through this product', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'How many of them are left', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until they begin anew', schema: { type: 'integer' } },
};
const ref = (header: keyof typeof headers) => ({ $ref: `#/components/headers/${header}` });
const everywhere = {
  'X-Request-Id': ref('X-Request-Id'),
  'RateLimit-Limit': ref('RateLimit-Limit'),
  'RateLimit-Remaining': ref('RateLimit-Remaining'),
  'RateLimit-Reset': ref('RateLimit-Reset'),
};

/** One answer a status, with an example for each of its codes. */
function refusals(method: string, { params, body, problems }: Operation, problem: object, baseUrl: string) {
  const possible = [
    invalidRequest,
    unauthenticated,
    insufficientScope,
    tenantPaused,
    ...(method === 'post' ? [keyBusy, keyReused] : []),
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
        headers: { 'X-Request-Id': ref('X-Request-Id') },
        content: {
          'application/problem+json': {
            schema: { allOf: [problem], properties: { code: { enum: ofStatus.map(({ code }) => code) } } },
            examples: Object.fromEntries(
              ofStatus.map((kind) => [kind.code, { summary: kind.title, value: exampleOf(kind, baseUrl) }]),
            ),
          },
        },
      },
    ]),
  );
}

const exampleOf = ({ code, title, status, explain }: ProblemKind, baseUrl: string) => ({
  type: `${baseUrl}/problems/${code}`,
  title,
  status,
  detail: explain,
  code,
  requestId: sample.call,
});

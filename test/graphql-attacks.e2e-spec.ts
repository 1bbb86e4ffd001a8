import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getIntrospectionQuery } from 'graphql';
import type { Browser } from './kit/browser.js';
import { leastCpuMsOf } from './kit/cpu-time.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let admin: Browser;
let member: Browser;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  admin = await lark.browser();
  member = await lark.browser(await lark.member());
});
afterAll(() => server.close());

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const introspection = (aliases: number) =>
  `{ ...F } fragment F on Query { ${times(aliases, (i) => `a${i}: __schema { types { fields { type { name } } } }`)} }`;
/** 6.5 KB: validation compares the fields pairwise on every level. */
const nestedFields =
  `{ ${times(9, () => `me { ${times(9, () => `member { ${times(9, () => 'id')} }`)} }`)} }`.slice(0, -1) + '}';

interface Answer {
  status: number;
  text: string;
  code?: string;
}
async function send(
  body: string,
  headers: Record<string, string> = {},
  to: { fetch: Browser['fetch'] } = stranger,
): Promise<Answer> {
  const response = await to.fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', origin: server.url, ...headers },
    body,
  });
  const text = await response.text();
  const { errors } = JSON.parse(text) as { errors?: { extensions: { code: string } }[] };
  return { status: response.status, text, code: errors?.[0].extensions.code };
}
const stranger = { fetch: (path: string, init?: RequestInit) => fetch(server.url + path, init) } as {
  fetch: Browser['fetch'];
};
const ask = (by: Browser, query: string, variables?: unknown) => send(JSON.stringify({ query, variables }), {}, by);

const credentials: Record<string, string>[] = [
  {},
  { authorization: 'Bearer cs_adm_wrong' },
  { cookie: 'cs_session=cs_ses_wrong' },
];

describe('a request without an accepted credential', () => {
  it.each([
    ['introspection within a fragment under 400 aliases', JSON.stringify({ query: introspection(400) })],
    ['introspection within a fragment under 2000 aliases', JSON.stringify({ query: introspection(2000) })],
    ['6.5 KB of nested fields', JSON.stringify({ query: nestedFields })],
    ['a misspelt field', JSON.stringify({ query: '{ mee { sessionId } }' })],
    ['brackets that overflow the stack', JSON.stringify({ query: '['.repeat(100_000) })],
    ['a syntax error', JSON.stringify({ query: '{' })],
    ['a body that is not JSON', '{"query":'],
    ['a body over the limit', JSON.stringify({ query: `{ me { sessionId } } ${'#'.repeat(2_000_000)}` })],
  ])('is rejected before its body is read: %s', async (_, body) => {
    for (const headers of credentials) {
      const { status, code, text } = await send(body, headers);
      expect([status, code]).toEqual([401, 'unauthenticated']);
      expect(text).not.toMatch(/Did you mean|call stack|Syntax/);
    }
  });
});

describe('introspection', () => {
  it.each([
    '{ __schema { types { name } } }',
    '{ me { sessionId } __type(name: "Query") { name } }',
    '{ ...F } fragment F on Query { __schema { types { name } } }',
    '{ ... on Query { ... { a: __schema { types { name } } } } }',
    '{ me { sessionId ...F } } fragment F on Me { __schema { types { name } } }',
    'query One { me { sessionId } } query Two { __schema { types { name } } }',
  ])('is allowed for administrators only: %s', async (query) => {
    expect(await ask(member, query)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('works for administrators in the form that tools send', async () => {
    const { status, text } = await ask(admin, getIntrospectionQuery());
    expect(status).toBe(200);
    expect(text).toContain('"queryType"');
  });

  it('is not needed for __typename, which every signed-in user may read', async () => {
    expect(await ask(member, '{ __typename me { __typename } }')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"Me"') as string,
    });
  });

  it.each([400, 2000])('has the same limits for administrators: %d aliases', async (aliases) => {
    expect(await ask(admin, introspection(aliases))).toMatchObject({ status: 400, code: 'invalid-request' });
  });
});

describe('a document over the limits', () => {
  it.each([
    ['nested fields', nestedFields],
    [
      'fragments that multiply',
      `{ ...F0 } ${times(9, (i) => `fragment F${i} on Query { ${times(9, (j) => `a${j}: me { ...F${i + 1} }`)} }`)} fragment F9 on Query { __typename }`,
    ],
    ['aliases', `{ ${times(60, (i) => `a${i}: me { sessionId }`)} }`],
    ['directives', `{ me { sessionId ${times(60, () => '@include(if: true)')} } }`],
    ['brackets', '['.repeat(1900)],
    ['tokens', `{ me { ${times(5000, () => 'sessionId')} } }`],
    ['two mutations', 'mutation { a: signOutEverywhere b: signOutEverywhere }'],
  ])('is rejected with 400 before validation: %s', async (_, query) => {
    const { status, code, text } = await ask(member, query);
    expect([status, code]).toEqual([400, 'invalid-request']);
    expect(text).not.toMatch(/Cannot query field|call stack|Did you mean/);
  });

  it.each([
    ['a syntax error', { query: '{' }],
    ['no query', {}],
    ['a batch', [{ query: '{ me { sessionId } }' }]],
    ['a hash in place of the query', { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }],
    [
      'variables nested 1000 deep',
      { query: '{ me { sessionId } }', variables: { a: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) as unknown } },
    ],
    ['an unknown field', { query: '{ mee { sessionId } }' }],
    ['an unknown argument', { query: '{ configurations(frist: 1) { totalCount } }' }],
    [
      'a variable of another type',
      { query: 'query ($n: Int!) { configurations(first: $n) { totalCount } }', variables: { n: 'x' } },
    ],
  ])('is rejected with 400 and without suggestions if it is malformed: %s', async (_, body) => {
    const { status, code, text } = await send(JSON.stringify(body), {}, member);
    expect([status, code]).toEqual([400, 'invalid-request']);
    expect(text).not.toMatch(/Did you mean|call stack/);
  });

  it('is rejected with 413 if its body is too large', async () => {
    expect(await ask(member, `{ me { sessionId } } ${'#'.repeat(2_000_000)}`)).toMatchObject({
      status: 413,
      code: 'too-large',
    });
  });

  it('is accepted by POST only', async () => {
    const response = await member.fetch('/graphql?query=%7B__schema%7Btypes%7Bname%7D%7D%7D', {
      headers: { 'apollo-require-preflight': '1' },
    });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('a value of the wrong type', () => {
  it('is searched for suggestions in linear time, and is truncated in the response', async () => {
    const n = 'Did you mean '.repeat(10_000);
    const search = () => ask(member, 'query ($n: Int!) { configurations(first: $n) { totalCount } }', { n });
    const { status, text } = await search();
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(5000);
    expect(await leastCpuMsOf(search)).toBeLessThan(1000);
  });
});

describe('a list of very many values', () => {
  it('is rejected before validation', async () => {
    const query = 'mutation ($input: MatchSpendIdentitiesInput!) { matchSpendIdentities(input: $input) { id } }';
    const matches = Array.from({ length: 20_000 }, () => ({ identityId: 1, personId: 'a' }));
    const { status, text } = await ask(admin, query, { input: { matches } });
    expect(status).toBe(400);
    expect(text).toContain('has more than 10000 values');
  });

  it('is rejected with at most 100 reported errors', async () => {
    const query = 'mutation ($input: MatchSpendIdentitiesInput!) { matchSpendIdentities(input: $input) { id } }';
    const matches = Array.from({ length: 3000 }, () => ({ identityId: 1, personId: 'a' }));
    const { text } = await ask(admin, query, { input: { matches } });
    const [{ extensions }] = (JSON.parse(text) as { errors: { extensions: { errors: object[] } }[] }).errors;
    expect(extensions.errors).toHaveLength(100);
  });
});

describe('a long argument', () => {
  const csv = `email,name\n${times(16_000, (i) => `person${i}@lark.example,Person ${i}\n`)}`;
  const preview = (aliases: number) =>
    `query ($csv: String!) { ${times(aliases, (i) => `a${i}: previewSpendPeopleImport(input: { csv: $csv }) { addedCount }`)} }`;

  it('is accepted in one field', async () => {
    expect(await ask(admin, preview(1), { csv })).toMatchObject({ status: 200 });
  });

  it('is rejected if many aliases repeat it', async () => {
    expect(await ask(admin, preview(49), { csv })).toMatchObject({ status: 400, code: 'invalid-request' });
  });
});

/** Passport strategies are shared within a process, so that tests with another server run last. */
describe('the limit of rejected requests', () => {
  it('applies per network, and not to accepted requests', async () => {
    const strict = await testServer({ LIMIT_REFUSALS_PER_MINUTE: '5' });
    try {
      const organization = await anOrganization(strict);
      const browser = await organization.browser();
      const refused = () =>
        fetch(`${strict.url}/graphql`, { method: 'POST', headers: { authorization: 'Bearer cs_adm_wrong' } });
      const answers = [];
      for (let i = 0; i < 12; i++) answers.push(await refused());
      // a minute may end in between, which resets the count
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThan(0);
      expect(answers.every(({ status }) => [401, 429].includes(status))).toBe(true);
      expect(Number(limited[0].headers.get('retry-after'))).toBeGreaterThan(0);
      const response = await browser.fetch('/graphql', {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', origin: strict.url },
        body: JSON.stringify({ query: '{ me { sessionId } }' }),
      });
      expect(response.status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});

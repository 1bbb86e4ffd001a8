import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { AuditService } from '../src/audit/audit.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let max: Member;
let ask: GraphqlRequest;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor' });
  max = await lark.member({ name: 'Max Searched' });
  const admin = await sessionPrincipal(server, lark, lark.admin);
  await server.app.get(MemberStatusService).suspend(admin, max.id);
  await server.app.get(MemberStatusService).reactivate(admin, max.id);
  ask = await lark.as();
});
afterAll(() => server.close());

interface Found {
  id: string;
  kind: string;
  at: string;
}
const fields = 'totalCount nodes { id kind at } pageInfo { hasNextPage endCursor }';
const found = async (filter: string): Promise<Found[]> =>
  (await ask(`{ auditEvents(first: 200, ${filter}) { ${fields} } }`)).data.auditEvents.nodes;
const kinds = async (filter: string) => (await found(filter)).map(({ kind }) => kind);

describe('a search of the audit log', () => {
  it('filters by a kind or by all kinds of a noun', async () => {
    expect(await kinds('kind: "member.suspended"')).toEqual(['member.suspended']);
    expect(await kinds('kind: "member."')).toEqual(expect.arrayContaining(['member.suspended', 'member.reactivated']));
    expect((await kinds('kind: "member."')).every((kind) => kind.startsWith('member.'))).toBe(true);
  });

  it('filters by actor and subject', async () => {
    expect(await kinds(`actorId: "${lark.admin.id}", subjectId: "${max.id}"`)).toEqual([
      'member.reactivated',
      'member.suspended',
    ]);
    expect(await kinds(`actorId: "${max.id}"`)).toEqual([]);
  });

  it('filters by time: start inclusive, end exclusive', async () => {
    const [{ at }] = await found('kind: "member.suspended"');
    const after = await found(`from: "${at}"`);
    const before = await found(`to: "${at}"`);
    expect(after.some(({ kind }) => kind === 'member.suspended')).toBe(true);
    expect(before.some(({ kind }) => kind === 'member.suspended')).toBe(false);
    const all = (await ask(`{ auditEvents { totalCount } }`)).data.auditEvents.totalCount;
    expect(after.length + before.length).toBe(all);
    expect((await ask(`{ auditEvents(from: "${at}", to: "${at}") { totalCount } }`)).code).toBe('invalid-request');
  });

  it('matches ids and parts of names case-insensitively and treats wildcards literally', async () => {
    const [event] = await found('kind: "member.suspended"');
    expect(await kinds(`search: "${event.id}"`)).toEqual(['member.suspended']);
    expect(await kinds(`search: "${max.id.toUpperCase()}"`)).toContain('member.suspended');
    expect(await kinds('search: "max sEARCH", kind: "member.suspended"')).toEqual(['member.suspended']);
    expect(await kinds('search: "%"')).toEqual([]);
  });

  it('returns pages and counts the total once', async () => {
    const first = (await ask(`{ auditEvents(first: 2) { ${fields} } }`)).data.auditEvents;
    const after = `after: "${first.pageInfo.endCursor}"`;
    const second = (await ask(`{ auditEvents(first: 2, ${after}) { ${fields} } }`)).data.auditEvents;
    expect(second.totalCount).toBe(first.totalCount);
    expect(second.nodes[0].id < first.nodes[1].id).toBe(true);
    const forged = Buffer.from(JSON.stringify([first.nodes[1].id, 'many'])).toString('base64url');
    const counted = (await ask(`{ auditEvents(first: 2, after: "${forged}") { totalCount } }`)).data.auditEvents;
    expect(counted.totalCount).toBe(first.totalCount);
  });

  it('rejects invalid ids', async () => {
    for (const filter of ['actorId: "x"', 'subjectId: "x"', 'from: "yesterday"', 'search: "a\\u0000"'])
      expect((await ask(`{ auditEvents(${filter}) { totalCount } }`)).code).toBe('invalid-request');
  });
});

it('lists the existing kinds and actors', async () => {
  const { data } = await ask('{ auditKinds auditActors { id kind name } }');
  expect(data.auditKinds).toEqual(expect.arrayContaining(['member.suspended', 'session.opened']));
  expect(data.auditKinds).toEqual([...new Set(data.auditKinds as string[])]);
  expect(data.auditActors).toContainEqual({ id: lark.admin.id, kind: 'member', name: lark.admin.name });
});

it('shows one event only to people who may read the log', async () => {
  const [{ id }] = await found('kind: "member.suspended"');
  const query = 'query ($id: ID!) { auditEvent(id: $id) { kind } }';
  expect((await ask(query, { id })).data.auditEvent).toEqual({ kind: 'member.suspended' });
  const member = await lark.as(await lark.member());
  for (const asked of [query, 'query ($id: ID!) { auditEvents(subjectId: $id) { totalCount } }', '{ auditKinds }'])
    expect((await member(asked, { id })).code).toBe('forbidden');
  const elsewhere = await (await anOrganization(server)).as();
  expect((await elsewhere(query, { id })).code).toBe('not-found');
  expect((await elsewhere(`{ auditEvents(subjectId: "${max.id}") { totalCount } }`)).data.auditEvents.totalCount).toBe(
    0,
  );
});

describe('the export of the log', () => {
  const lines = async (response: Response) =>
    (await response.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string; kind: string; tenantId?: string })
      .filter(({ kind }) => kind); // the last lines prove the events

  it('contains one event per line, oldest first, with the filters of the page, and is audited', async () => {
    const browser = await lark.browser();
    const response = await browser.fetch(`/console/exports/audit.jsonl?kind=member.&subjectId=${max.id}`);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"');
    const events = await lines(response);
    expect(events.map(({ kind }) => kind).slice(-2)).toEqual(['member.suspended', 'member.reactivated']);
    expect(events.every(({ tenantId }) => tenantId === undefined)).toBe(true);
    const [exported] = await found('kind: "audit.exported"');
    const { data } = await ask('query ($id: ID!) { auditEvent(id: $id) { detail } }', { id: exported.id });
    expect(data.auditEvent.detail).toMatchObject({ kind: 'member.', subjectId: max.id });
  });

  it('is complete even for a long log', async () => {
    const many = await anOrganization(server);
    await server.app.get(DatabaseService).tenant(many.system, async (tx) => {
      const record = { kind: 'test.recorded' };
      const done = Array.from({ length: 2500 }, () => ({ principal: many.system, record }));
      await server.app.get(AuditService).recordAll(tx, done);
    });
    const events = await lines(await (await many.browser()).fetch('/console/exports/audit.jsonl?kind=test.recorded'));
    expect(new Set(events.map(({ id }) => id)).size).toBe(2500);
    const none = await (await many.browser()).fetch('/console/exports/audit.jsonl?kind=test.never');
    expect(none.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    expect(await lines(none)).toEqual([]);
  });

  it('requires permission to read the log and rejects invalid filters', async () => {
    const member = await lark.browser(await lark.member());
    expect((await member.fetch('/console/exports/audit.jsonl')).status).toBe(403);
    expect((await member.fetch('/console/exports/audit-head.json')).status).toBe(403);
    const browser = await lark.browser();
    for (const filter of ['actorId=x', 'from=yesterday', 'colour=red', 'kind=a&kind=b'])
      expect((await browser.fetch(`/console/exports/audit.jsonl?${filter}`)).status).toBe(400);
  });
});

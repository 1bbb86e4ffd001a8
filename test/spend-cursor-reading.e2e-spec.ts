import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CursorSyncFixture, collectPages } from './kit/cursor-sync-fixture.js';
import { FakeCursorVendor, eventsPage, requestedPage, usersPage } from './kit/fake-cursor-vendor.js';

const day = '2026-10-14';
const at = (time: string) => String(Date.parse(`${day}T${time}Z`));

let cursor: FakeCursorVendor;
let connector: CursorSyncFixture;
beforeAll(async () => {
  cursor = await FakeCursorVendor.start();
});
afterAll(() => cursor.stop());
beforeEach(() => {
  cursor.reset();
  connector = new CursorSyncFixture(cursor.url, cursor.key);
});
afterEach(() => connector.close());

const usageOf = (data: unknown[]) => {
  cursor.respond('/teams/daily-usage-data', ({ body }) => {
    const { shown, pagination } = usersPage(data, requestedPage(body));
    return { data: shown, pagination, period: {} };
  });
  return collectPages(connector.vendor.usage(connector.pull, day, day));
};
const chargesOf = (events: object[]) => {
  cursor.respond('/teams/filtered-usage-events', ({ body }) => eventsPage(events, requestedPage(body)));
  return connector.vendor.charges(connector.pull, day);
};

const aRow = (changes: object = {}) => ({
  userId: 501,
  day,
  date: Date.parse(day),
  isActive: true,
  totalLinesAdded: 2210,
  totalLinesDeleted: 611,
  acceptedLinesAdded: 901,
  acceptedLinesDeleted: 312,
  totalApplies: 41,
  totalAccepts: 33,
  totalRejects: 8,
  totalTabsShown: 517,
  totalTabsAccepted: 203,
  composerRequests: 19,
  chatRequests: 71,
  agentRequests: 27,
  cmdkUsages: 6,
  subscriptionIncludedReqs: 95,
  apiKeyReqs: 2,
  usageBasedReqs: 14,
  bugbotUsages: 1,
  mostUsedModel: 'default',
  applyMostUsedExtension: '.rs',
  tabMostUsedExtension: '.rs',
  clientVersion: '2.1.36',
  email: 'mira@lark.example',
  ...changes,
});

const anEvent = (changes: object = {}) => ({
  timestamp: at('09:15:30.120'),
  userEmail: 'mira@lark.example',
  conversationId: '0f1d6a3e-52b7-4d8e-8d13-1a2b3c4d5e6f',
  model: 'claude-4.5-sonnet',
  kind: 'Usage-based',
  maxMode: false,
  requestsCosts: 3,
  isTokenBasedCall: true,
  isChargeable: true,
  isHeadless: false,
  tokenUsage: {
    inputTokens: 212,
    outputTokens: 1033,
    cacheWriteTokens: 4096,
    cacheReadTokens: 15_001,
    totalCents: 14.07119,
  },
  chargedCents: 15.02119,
  cursorTokenFee: 0.95,
  ...changes,
});

const mira = { kind: 'email', key: 'mira@lark.example', email: 'mira@lark.example' };

describe('daily usage', () => {
  it('is converted to the thirteen counts per person and day', async () => {
    expect((await usageOf([aRow()])).rows).toEqual([
      {
        day,
        identity: mira,
        clientVersion: '2.1.36',
        ai_requests_chat: 71,
        ai_requests_agent: 27,
        ai_requests_composer: 19,
        ai_requests_cmdk: 6,
        tab_completions_shown: 517,
        tab_completions_accepted: 203,
        applies_accepted: 33,
        applies_rejected: 8,
        lines_accepted_added: 901,
        lines_accepted_deleted: 312,
        subscription_included_requests: 95,
        usage_based_requests: 14,
        byo_api_key_requests: 2,
      },
    ]);
    expect(cursor.receivedRequests).toMatchObject([
      {
        method: 'POST',
        body: { startDate: Date.parse(day), endDate: Date.parse('2026-10-15') - 1, page: 1, pageSize: 1000 },
      },
    ]);
  });

  it('is requested with a page size that depends on the number of days', async () => {
    await collectPages(connector.vendor.usage(connector.pull, '2026-10-01', '2026-10-30'));
    expect(cursor.receivedRequests[0].body).toMatchObject({ pageSize: 500 });
  });

  it('distinguishes missing values from zero', async () => {
    const { rows, faults } = await usageOf([aRow({ chatRequests: undefined, agentRequests: null, cmdkUsages: 0 })]);
    expect(rows).toMatchObject([{ ai_requests_chat: null, ai_requests_agent: null, ai_requests_cmdk: 0 }]);
    expect(faults).toEqual([]);
  });

  it('keeps the valid fields of a row and reports the invalid ones', async () => {
    const { rows, faults } = await usageOf([
      aRow({ chatRequests: -4, agentRequests: 1.5, composerRequests: 'many', cmdkUsages: 2 ** 31, totalRejects: '8' }),
    ]);
    expect(rows).toMatchObject([
      {
        ai_requests_chat: null,
        ai_requests_agent: null,
        ai_requests_composer: null,
        ai_requests_cmdk: null,
        applies_rejected: 8,
        applies_accepted: 33,
      },
    ]);
    expect(faults).toEqual([
      'chatRequests is negative, agentRequests is not a count, composerRequests is not a count, cmdkUsages is not a count',
    ]);
  });

  it('counts unknown fields, and treats a renamed field as unknown instead of zero', async () => {
    const { rows, unknownFields } = await usageOf([
      aRow({ chatRequests: undefined, askRequests: 71, __proto__: null }),
      aRow({ userId: 502, email: 'otto@lark.example', askRequests: 1, ['a\u202eb']: 1 }),
    ]);
    expect(rows.map((row) => row.ai_requests_chat)).toEqual([null, 71]);
    expect(unknownFields).toEqual({ askRequests: 2, ab: 1 });
  });

  it.each([
    ['null instead of an object', null, 'is not an object'],
    ['no day', aRow({ day: undefined, date: undefined }), 'has no day'],
    ['a day that does not exist', aRow({ day: '2026-02-30', date: undefined }), 'day is not a day, has no day'],
    ['a day that was not requested', aRow({ day: '2026-10-13' }), '2026-10-13 was not requested'],
  ])('omits a row with %s', async (_, row, reason) => {
    const { rows, faults } = await usageOf([row, aRow({ userId: 502, email: 'otto@lark.example' })]);
    expect(rows).toHaveLength(1);
    expect(faults).toEqual([reason]);
  });

  it('derives a missing day from the date', async () => {
    expect((await usageOf([aRow({ day: undefined })])).rows).toMatchObject([{ day }]);
  });

  it('fails if no row is readable', async () => {
    await expect(usageOf([aRow({ day: undefined, date: undefined, when: day })])).rejects.toMatchObject({
      code: 'unexpected_answer',
      message: expect.stringContaining('no row is readable (has no day)'),
    });
  });

  it('counts each user and day once and reports rows that differ', async () => {
    const { rows, faults } = await usageOf([aRow(), aRow(), aRow({ chatRequests: 72 })]);
    expect(rows).toMatchObject([{ ai_requests_chat: 72 }]);
    expect(faults).toEqual(['a second row of the same user and day']);
  });
});

describe('a list of users that changes during the read', () => {
  const people = Array.from({ length: 2600 }, (_, index) => ({ userId: index, email: `p${index}@lark.example` }));
  const serve = (listed: (request: number) => object[]) =>
    cursor.respond('/teams/daily-usage-data', ({ body }) => {
      const users = listed(cursor.receivedRequests.length);
      const { shown, pagination } = usersPage(users, requestedPage(body));
      return { data: shown.map((user) => ({ day, chatRequests: 1, ...user })), pagination };
    });
  const read = () => collectPages(connector.vendor.usage(connector.pull, day, day));
  const names = (rows: { identity: { key: string } }[]) => new Set(rows.map(({ identity }) => identity.key));

  it('is read once if it is stable', async () => {
    serve(() => people);
    const { rows } = await read();
    expect(rows).toHaveLength(2600);
    expect(cursor.receivedRequests).toHaveLength(3);
  });

  it.each([
    ['a user on an earlier page left', (request: number) => people.slice(request > 1 ? 1 : 0), 2600],
    [
      'a user joined on an earlier page',
      (request: number) => (request > 1 ? [{ userId: -1, email: 'new@lark.example' }, ...people] : people),
      2601,
    ],
    [
      'one user left and one joined',
      (request: number) => (request > 1 ? [{ userId: -1, email: 'new@lark.example' }, ...people.slice(0, -1)] : people),
      2600,
    ],
  ])('emits every user once if %s', async (_, listed, expected) => {
    serve(listed);
    const { rows } = await read();
    expect(rows).toHaveLength(expected);
    expect(names(rows).size).toBe(expected);
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('counts a user who is repeated on the next page once', async () => {
    cursor.respond('/teams/daily-usage-data', ({ body }) => {
      const { page, pageSize } = requestedPage(body);
      const { shown, pagination } = usersPage(people, { page, pageSize });
      const users = page === 1 ? shown : [people[(page - 1) * pageSize - 1], ...shown];
      return { data: users.map((user) => ({ day, chargeRequests: 1, ...user })), pagination };
    });
    expect((await read()).rows).toHaveLength(2600);
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('continues after an empty page', async () => {
    cursor.respond('/teams/daily-usage-data', ({ body }) => ({
      data: body.page === 2 ? [] : [{ day, userId: Number(body.page), chatRequests: 1 }],
      pagination: { totalUsers: 2, totalPages: 3, hasNextPage: body.page !== 3 },
    }));
    expect((await read()).rows).toHaveLength(2);
    expect(cursor.receivedRequests).toHaveLength(3);
  });

  it('accepts pages that count rows instead of users', async () => {
    const rows = ['2026-10-13', day].flatMap((each) => people.slice(0, 3).map((user) => ({ day: each, ...user })));
    cursor.respond('/teams/daily-usage-data', ({ body }) => ({
      data: rows.slice((Number(body.page) - 1) * 2, Number(body.page) * 2),
      pagination: { totalUsers: 3, totalPages: 3 },
    }));
    const pages = connector.vendor.usage(connector.pull, '2026-10-13', day);
    expect((await collectPages(pages)).rows).toHaveLength(6);
    expect(cursor.receivedRequests).toHaveLength(3);
  });

  it('fails if it never becomes stable', async () => {
    serve((request) => people.slice(request));
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer', message: /kept changing/ });
    expect(cursor.receivedRequests).toHaveLength(9);
  });

  it('fails if every page is the first one', async () => {
    cursor.respond('/teams/daily-usage-data', () => ({
      data: [aRow()],
      pagination: { page: 1, pageSize: 1, totalUsers: 900, totalPages: 900, hasNextPage: true },
    }));
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
    expect(cursor.receivedRequests.length).toBeLessThan(10);
  });
});

describe('usage events', () => {
  it('are converted to tokens and exact costs per person, day and model', async () => {
    const { rows, vendorTotal, faulty, unknownFields } = await chargesOf([
      anEvent(),
      anEvent({
        timestamp: at('09:14:02.001'),
        requestsCosts: 7.5,
        tokenUsage: {
          inputTokens: 7044,
          outputTokens: 208,
          cacheWriteTokens: 15_001,
          cacheReadTokens: 0,
          totalCents: 50.2,
          discountPercentOff: 20,
        },
        chargedCents: 41.11,
      }),
      {
        timestamp: at('08:59:59.999'),
        userEmail: 'otto@lark.example',
        model: 'gpt-5',
        kind: 'Included in Business',
        requestsCosts: 1.4,
        isTokenBasedCall: false,
        isChargeable: false,
        chargedCents: 6,
      },
    ]);
    expect(rows).toEqual([
      {
        day,
        identity: mira,
        model: 'claude-4.5-sonnet',
        isIncluded: false,
        events: 2,
        input_tokens: 7256,
        output_tokens: 1241,
        cache_read_tokens: 15_001,
        cache_creation_tokens: 19_097,
        chargedCents: '56.13119',
        listCents: '66.17119',
        requestUnits: '10.5',
      },
      {
        day,
        identity: { kind: 'email', key: 'otto@lark.example', email: 'otto@lark.example' },
        model: 'gpt-5',
        isIncluded: true,
        events: 1,
        input_tokens: null,
        output_tokens: null,
        cache_read_tokens: null,
        cache_creation_tokens: null,
        chargedCents: '6',
        listCents: '6',
        requestUnits: '1.4',
      },
    ]);
    expect({ vendorTotal, faulty, unknownFields }).toEqual({ vendorTotal: 3, faulty: [], unknownFields: {} });
    expect(cursor.receivedRequests).toMatchObject([
      { body: { startDate: Date.parse(day), endDate: Date.parse('2026-10-15') - 1, page: 1, pageSize: 1000 } },
    ]);
  });

  it('are summed without floating point errors', async () => {
    const text = JSON.stringify(
      eventsPage([anEvent({ chargedCents: 'A' }), anEvent({ chargedCents: 'B' })], { page: 1, pageSize: 1000 }),
    );
    cursor.respond('/teams/filtered-usage-events', () =>
      text.replace('"A"', '0.1000000000000000000000001').replace('"B"', '2e-1'),
    );
    const { rows } = await connector.vendor.charges(connector.pull, day);
    expect(rows).toMatchObject([{ chargedCents: '0.3000000000000000000000001' }]);
  });

  it('are split into charged and included ones per person and model', async () => {
    const { rows } = await chargesOf([
      anEvent(),
      anEvent({ isChargeable: false, kind: 'Included in Pro' }),
      anEvent({ isChargeable: undefined, kind: 'Included in Pro' }),
    ]);
    expect(rows.map(({ isIncluded, events }) => [isIncluded, events])).toEqual([
      [false, 1],
      [true, 2],
    ]);
  });

  it('without a user belong to a service account, an id or nobody, and are never dropped', async () => {
    const { rows } = await chargesOf([
      anEvent({ serviceAccountId: 'sa_77', serviceAccountName: 'Nightly', userEmail: 'runner@lark.example' }),
      anEvent({ userEmail: undefined }),
      anEvent({ userEmail: '' }),
      anEvent({ userEmail: undefined, userId: 'user_9' }),
    ]);
    expect(rows.map(({ identity, events }) => ({ ...identity, events }))).toEqual([
      { kind: 'service_account', key: 'sa_77', email: 'runner@lark.example', name: 'Nightly', events: 1 },
      { kind: 'unattributed', key: 'unattributed', events: 2 },
      { kind: 'vendor_user_id', key: 'user_9', vendorUserId: 'user_9', events: 1 },
    ]);
  });

  it('keep their valid fields if a field is invalid', async () => {
    const { rows, faulty, unknownFields } = await chargesOf([
      anEvent({ chargedCents: 'free', model: undefined, region: 'eu' }),
      anEvent({ chargedCents: undefined }),
      anEvent({ tokenUsage: { inputTokens: -1, outputTokens: '12', reasoningTokens: 3 } }),
      anEvent({ chargedCents: -2.5 }),
    ]);
    expect(rows).toMatchObject([
      { model: 'unknown', chargedCents: null },
      { events: 3, chargedCents: '12.52119', input_tokens: 424, output_tokens: 2078, cache_read_tokens: 30_002 },
    ]);
    expect(faulty).toEqual([
      { row: 0, reason: 'chargedCents is not an amount' },
      { row: 1, reason: 'has no chargedCents' },
      { row: 2, reason: 'tokenUsage.inputTokens is negative' },
    ]);
    expect(unknownFields).toEqual({ region: 1, 'tokenUsage.reasoningTokens': 1 });
  });

  it('of another day are omitted', async () => {
    const { rows, faulty } = await chargesOf([anEvent(), anEvent({ timestamp: String(Date.parse('2026-10-15')) })]);
    expect(rows).toMatchObject([{ events: 1 }]);
    expect(faulty).toEqual([{ row: 1, reason: '2026-10-15T00:00:00.000Z was not requested' }]);
  });

  it('can have numbers as text and text as numbers', async () => {
    const { rows, faulty } = await chargesOf([
      anEvent({ timestamp: Number(at('10:00:00')), chargedCents: '15.02119', requestsCosts: '3' }),
    ]);
    expect(rows).toMatchObject([{ chargedCents: '15.02119', requestUnits: '3' }]);
    expect(faulty).toEqual([]);
  });
});

describe('a list of events that changes during the read', () => {
  const events = Array.from({ length: 2500 }, (_, index) =>
    anEvent({ timestamp: String(Number(at('20:00:00')) - index), chargedCents: 1, conversationId: `c${index}` }),
  );
  const late = (count: number) =>
    Array.from({ length: count }, (_, index) => anEvent({ conversationId: `late${index}` }));
  const serve = (listed: (request: number) => object[]) =>
    cursor.respond('/teams/filtered-usage-events', ({ body }) =>
      eventsPage(listed(cursor.receivedRequests.length), requestedPage(body)),
    );
  const read = () => connector.vendor.charges(connector.pull, day);

  it('is read again if an event arrives', async () => {
    serve((request) => [...late(request > 1 ? 1 : 0), ...events]);
    const { rows, vendorTotal } = await read();
    expect(vendorTotal).toBe(2501);
    expect(rows).toMatchObject([{ events: 2501, chargedCents: '2515.02119' }]);
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('is read again if one event moves to the next page and another disappears', async () => {
    serve((request) => (request === 2 ? [...late(1), ...events.slice(0, -1)] : events));
    await expect(read()).resolves.toMatchObject({ rows: [{ events: 2500, chargedCents: '2500' }] });
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('is read again if a page is repeated', async () => {
    cursor.respond('/teams/filtered-usage-events', ({ body }) => {
      const { page, pageSize } = requestedPage(body);
      return eventsPage(events, { page: cursor.receivedRequests.length === 2 ? 1 : page, pageSize });
    });
    await expect(read()).resolves.toMatchObject({ rows: [{ events: 2500 }] });
  });

  it('fails if every page is the first one', async () => {
    cursor.respond('/teams/filtered-usage-events', ({ body }) => {
      const { pagination } = eventsPage(events, requestedPage(body));
      return { ...eventsPage(events, { page: 1, pageSize: 1000 }), pagination };
    });
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('can contain two identical events on two pages', async () => {
    const twins = [...events.slice(0, 999), events[998], ...events.slice(999)];
    serve(() => [events[998], ...twins.slice(0, 998), events[998], events[998], ...twins.slice(1000)]);
    await expect(read()).resolves.toMatchObject({ rows: [{ events: 2502 }] });
  });

  it('fails if it never becomes stable', async () => {
    serve((request) => [...late(request), ...events]);
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer', message: /kept changing/ });
    expect(cursor.receivedRequests).toHaveLength(9);
  });

  it('fails if it is shorter than the vendor’s count', async () => {
    cursor.respond('/teams/filtered-usage-events', ({ body }) => ({
      ...eventsPage(events, requestedPage(body)),
      totalUsageEventsCount: 2600,
    }));
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  it('ignores events that arrive after its first page', async () => {
    const between = (list: { timestamp: string }[], { startDate, endDate }: Record<string, unknown>) =>
      list.filter(({ timestamp }) => Number(timestamp) >= Number(startDate) && Number(timestamp) <= Number(endDate));
    cursor.respond('/teams/filtered-usage-events', ({ body }) => {
      const newer = Array.from({ length: cursor.receivedRequests.length }, (_, index) =>
        anEvent({ timestamp: at(`20:0${cursor.receivedRequests.length - index}:00`) }),
      );
      return eventsPage(between([...newer, ...events] as { timestamp: string }[], body), requestedPage(body));
    });
    await expect(read()).resolves.toMatchObject({ rows: [{ events: 2501 }], vendorTotal: 2501 });
    expect(cursor.receivedRequests).toHaveLength(3);
  });

  it('counts an event that is repeated on the next page once', async () => {
    cursor.respond('/teams/filtered-usage-events', ({ body }) => {
      const { page, pageSize } = requestedPage(body);
      const answer = eventsPage(events, { page, pageSize });
      return page === 1 ? answer : { ...answer, usageEvents: [events[(page - 1) * 1000 - 1], ...answer.usageEvents] };
    });
    await expect(read()).resolves.toMatchObject({ rows: [{ events: 2500, chargedCents: '2500' }] });
    expect(cursor.receivedRequests).toHaveLength(3);
  });
});

describe('users', () => {
  it('are identified by the normalized email address', async () => {
    const { rows } = await usageOf([
      aRow({ email: 'Mira@Lark.Example ' }),
      aRow({ email: 'mira+ci@lark.example', userId: 2 }),
      aRow({ email: 'ZOE\u0308@lark.example', userId: 3 }),
      aRow({ email: 'zo\u00eb@lark.example', userId: 3 }),
    ]);
    expect(rows.map(({ identity }) => identity.key)).toEqual([
      'mira@lark.example',
      'mira+ci@lark.example',
      'zo\u00eb@lark.example',
    ]);
  });

  it('with one email address and two accounts are kept separate', async () => {
    const { rows } = await usageOf([aRow(), aRow({ userId: 777, email: 'MIRA@lark.example', chatRequests: 5 })]);
    expect(rows.map(({ identity, ai_requests_chat }) => [identity.kind, identity.key, ai_requests_chat])).toEqual([
      ['email', 'mira@lark.example', 71],
      ['vendor_user_id', '777', 5],
    ]);
  });

  it.each(['', null, 'no address', 'a\u0000b@lark.example', `${'x'.repeat(300)}@lark.example`, 7, '@'])(
    'with the invalid email address %j are identified by id',
    async (email) => {
      const { rows } = await usageOf([aRow({ email })]);
      expect(rows).toMatchObject([{ identity: { kind: 'vendor_user_id', key: '501' }, ai_requests_chat: 71 }]);
    },
  );

  it('without email address and id share one row per day', async () => {
    const { rows } = await usageOf([
      aRow({ email: null, userId: null, chatRequests: null }),
      aRow({ email: null, userId: undefined }),
    ]);
    expect(rows).toMatchObject([{ identity: { kind: 'unattributed' }, ai_requests_chat: 71, ai_requests_agent: 54 }]);
  });

  it('of the team have a role, and are present if they were invited again', async () => {
    cursor.respond('/teams/members', () => ({
      teamMembers: [
        { id: 'user_a', name: 'Mira \u202eL', email: 'Mira@lark.example', role: 'owner', isRemoved: false },
        { id: 'user_b', name: 'Otto', email: 'otto@lark.example', role: 'member', isRemoved: true },
        { id: 'user_c', name: 'Otto', email: 'otto@lark.example', role: 'member' },
        { id: 'user_d', email: 'zoe@lark.example', isRemoved: true },
        { id: 42, name: 'Old', role: 'member' },
        null,
        {},
      ],
    }));
    expect(await connector.vendor.members(connector.pull)).toEqual([
      { identity: { ...mira, vendorUserId: 'user_a', name: 'Mira L' }, role: 'owner', isRemoved: false },
      {
        identity: {
          kind: 'email',
          key: 'otto@lark.example',
          email: 'otto@lark.example',
          vendorUserId: 'user_c',
          name: 'Otto',
        },
        role: 'member',
        isRemoved: false,
      },
      {
        identity: { kind: 'email', key: 'zoe@lark.example', email: 'zoe@lark.example', vendorUserId: 'user_d' },
        isRemoved: true,
      },
      {
        identity: { kind: 'vendor_user_id', key: '42', vendorUserId: '42', name: 'Old' },
        role: 'member',
        isRemoved: false,
      },
    ]);
  });
});

describe('the billing cycle total', () => {
  it('is the exact sum over all pages', async () => {
    cursor.respond('/teams/spend', ({ body }) => ({
      teamMemberSpend:
        body.page === 1 ? [{ spendCents: 1, overallSpendCents: 3100.125487 }] : [{ spendCents: 0.000001 }],
      subscriptionCycleStart: Date.UTC(2026, 9, 3),
      totalMembers: 2,
      totalPages: 2,
    }));
    expect(await connector.vendor.billingCycle!(connector.pull)).toEqual({ start: '2026-10-03', cents: '3100.125488' });
    expect(cursor.receivedRequests.map(({ body }) => [body.page, body.sortBy])).toEqual([
      [1, 'user'],
      [2, 'user'],
    ]);
  });

  it('is null if the vendor does not report the start of the cycle', async () => {
    cursor.respond('/teams/spend', () => ({ teamMemberSpend: [], totalPages: 1 }));
    expect(await connector.vendor.billingCycle!(connector.pull)).toBeNull();
  });
});

describe('MCP server usage', () => {
  const uses = (data: object) => ({ data, pagination: { page: 1, pageSize: 500, totalUsers: 2, hasNextPage: false } });
  const read = () => collectPages(connector.vendor.mcpUsage!(connector.pull, '2026-10-14', '2026-10-15'));

  it('is summed over all tools by user, day and server', async () => {
    cursor.respond('/analytics/by-user/mcp', () => ({
      ...uses({
        'Mira@lark.example': [
          { event_date: day, tool_name: 'search', mcp_server_name: 'notes', usage: 12 },
          { event_date: day, tool_name: 'write', mcp_server_name: 'notes', usage: 3 },
          { event_date: '2026-10-15', tool_name: 'search', mcp_server_name: 'notes', usage: 1 },
        ],
        __proto__: [{ event_date: day, tool_name: 'x', mcp_server_name: 'odd', usage: 1 }],
      }),
      params: { userMappings: [{ id: 'user_a', email: 'Mira@lark.example' }] },
    }));
    const identity = { ...mira, vendorUserId: 'user_a' };
    expect((await read()).rows).toEqual([
      { day, identity, server: 'notes', calls: 15 },
      { day: '2026-10-15', identity, server: 'notes', calls: 1 },
    ]);
    expect(cursor.receivedRequests[0].query).toEqual({
      startDate: day,
      endDate: '2026-10-15',
      page: '1',
      pageSize: '500',
    });
  });

  it('continues after pages of users without usage', async () => {
    cursor.respond('/analytics/by-user/mcp', ({ query }) => ({
      data:
        query.page === '3' ? { 'mira@lark.example': [{ event_date: day, mcp_server_name: 'notes', usage: 1 }] } : {},
      pagination: { totalUsers: 1400, totalPages: 3, hasNextPage: query.page !== '3' },
    }));
    expect((await read()).rows).toHaveLength(1);
    expect(cursor.receivedRequests).toHaveLength(3);
  });

  it('is read again for users that a changing list skipped, and counts nobody twice', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `p${index}@lark.example`);
    cursor.respond('/analytics/by-user/mcp', ({ query }) => {
      const listed = cursor.receivedRequests.length > 1 ? names.slice(1) : names;
      const { shown, pagination } = usersPage(listed, { page: Number(query.page), pageSize: Number(query.pageSize) });
      const use = [{ event_date: day, mcp_server_name: 'notes', usage: 1 }];
      return { data: Object.fromEntries(shown.map((name) => [name, use])), pagination };
    });
    const { rows } = await read();
    expect(new Set(rows.map(({ identity }) => identity.key)).size).toBe(1001);
    expect(rows).toHaveLength(1001);
  });

  it('is not sent again while it is unchanged', async () => {
    cursor.respond('/analytics/by-user/mcp', ({ headers }, response) => {
      if (headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
      response.setHeader('etag', '"v1"');
      return uses({ 'mira@lark.example': [{ event_date: day, mcp_server_name: 'notes', usage: 1 }] });
    });
    const first = await read();
    expect(await read()).toEqual(first);
    expect(cursor.receivedRequests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
  });

  it('reports unreadable rows', async () => {
    cursor.respond('/analytics/by-user/mcp', () =>
      uses({
        'mira@lark.example': [{ event_date: day, usage: -1 }, 7, { event_date: day, mcp_server_name: 's', usage: 1 }],
      }),
    );
    expect((await read()).faults).toEqual(['usage is negative', 'is not an object']);
  });
});

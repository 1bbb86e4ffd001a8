import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Database } from '../src/platform/database/database.service.js';
import { Rollups } from '../src/spend/reports/rollups.service.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';
import { SpendHouse } from './kit/spend-house.js';

let server: TestServer;
let organization: Organization;
let house: SpendHouse;
let connectionId: string;

beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
  house = new SpendHouse(server, organization);
  connectionId = await house.connection();
  const group = await house.unit('group', 'Carts');
  await house.identity(connectionId, 'ada@x.example', await house.person('Ada', { group }));
  await house.identity(connectionId, 'bob@x.example');
});
afterAll(() => server.close());

const changed = (day: string) =>
  server.app
    .get(Database)
    .tenant(organization.system, (tx) =>
      server.app.get(Rollups).dayChanged(tx, organization.system, { connectionId, day }),
    );

test('a day that changed is in the sums of everybody, of groups and of their month', async () => {
  await house.day({ day: '2026-03-30', of: 'ada@x.example', ai_requests_agent: 3, charged_cents: '1.25' });
  await house.day({ day: '2026-03-31', of: 'ada@x.example', ai_requests_agent: 4 });
  await house.day({ day: '2026-03-31', of: 'bob@x.example', ai_requests_agent: 0, input_tokens: 9 });
  await house.charge({
    day: '2026-03-31',
    of: 'bob@x.example',
    model: 'default',
    charged_cents: '0.5',
    isIncluded: true,
  });
  await changed('2026-03-30');
  await changed('2026-03-31');
  await changed('2026-03-31');
  const rows = await house.query(
    `select scope, span, start::text, ai_requests_agent, input_tokens, charged_cents, ai_requests_chat from spend_unit_sums
     order by scope, span, start, ai_requests_agent`,
  );
  expect(rows).toMatchInlineSnapshot(`
   [
     {
       "ai_requests_agent": "3",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": null,
       "scope": 0,
       "span": "day",
       "start": "2026-03-30",
     },
     {
       "ai_requests_agent": "4",
       "ai_requests_chat": null,
       "charged_cents": null,
       "input_tokens": "9",
       "scope": 0,
       "span": "day",
       "start": "2026-03-31",
     },
     {
       "ai_requests_agent": "7",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": "9",
       "scope": 0,
       "span": "month",
       "start": "2026-03-01",
     },
     {
       "ai_requests_agent": "3",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": null,
       "scope": 1,
       "span": "day",
       "start": "2026-03-30",
     },
     {
       "ai_requests_agent": "0",
       "ai_requests_chat": null,
       "charged_cents": null,
       "input_tokens": "9",
       "scope": 1,
       "span": "day",
       "start": "2026-03-31",
     },
     {
       "ai_requests_agent": "4",
       "ai_requests_chat": null,
       "charged_cents": null,
       "input_tokens": null,
       "scope": 1,
       "span": "day",
       "start": "2026-03-31",
     },
     {
       "ai_requests_agent": "0",
       "ai_requests_chat": null,
       "charged_cents": null,
       "input_tokens": "9",
       "scope": 1,
       "span": "month",
       "start": "2026-03-01",
     },
     {
       "ai_requests_agent": "7",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": null,
       "scope": 1,
       "span": "month",
       "start": "2026-03-01",
     },
     {
       "ai_requests_agent": "3",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": null,
       "scope": 2,
       "span": "day",
       "start": "2026-03-30",
     },
     {
       "ai_requests_agent": "4",
       "ai_requests_chat": null,
       "charged_cents": null,
       "input_tokens": "9",
       "scope": 2,
       "span": "day",
       "start": "2026-03-31",
     },
     {
       "ai_requests_agent": "7",
       "ai_requests_chat": null,
       "charged_cents": "1.25",
       "input_tokens": "9",
       "scope": 2,
       "span": "month",
       "start": "2026-03-01",
     },
   ]
  `);
  expect(await house.query('select scope, events, included_cents, charged_cents from spend_model_sums order by scope'))
    .toMatchInlineSnapshot(`
   [
     {
       "charged_cents": "0.5",
       "events": "1",
       "included_cents": "0.5",
       "scope": 0,
     },
     {
       "charged_cents": "0.5",
       "events": "1",
       "included_cents": "0.5",
       "scope": 1,
     },
     {
       "charged_cents": "0.5",
       "events": "1",
       "included_cents": "0.5",
       "scope": 2,
     },
   ]
  `);
  expect(await house.query('select day::text, active from spend_active_days order by day')).toEqual([
    { day: '2026-03-30', active: '10' },
    { day: '2026-03-31', active: '11' },
  ]);
});

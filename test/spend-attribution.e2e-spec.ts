import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { VendorIdentitiesService } from '../src/people/identities/vendor-identities.service.js';
import { PeopleImportService } from '../src/people/imports/people-import.service.js';
import { IdentityMatchingService } from '../src/people/identity-matching.service.js';
import { PeopleService } from '../src/people/people.service.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

/* All past usage of an identity is reported for its current person, and for nobody else. */

let server: TestServer;
let lark: Organization;
let fixture: SpendFixture;
let connectionId: string;
let admin: GraphqlRequest;
const get = <T>(type: new (...args: never[]) => T): T => server.app.get(type);

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  admin = await lark.as();
  fixture = new SpendFixture(server, lark);
  connectionId = await fixture.createConnection();
  const used: [key: string, cents: string][] = [
    ['ada@old.example', '100'],
    ['ada+trial@lark.example', '20.5'],
    ['bob@lark.example', '3'],
    ['nobody@else.example', '0.25'],
  ];
  for (const [of, cents] of used) {
    await fixture.createIdentity(connectionId, of);
    await fixture.createDay({ day: '2026-02-03', of, ai_requests_agent: 1, charged_cents: cents });
  }
  await get(DatabaseService).tenant(lark.system, (tx) =>
    get(RollupsService).updateDay(tx, lark.system, { connectionId, day: '2026-02-03' }),
  );
});
afterAll(() => server.close());

/** Cents by group, from a report. */
async function byGroup(): Promise<Record<string, string>> {
  const { data, errors } = await admin(
    '{ spendReport(from: "2026-02-01", to: "2026-02-28", by: group) { nodes { name chargedCents } } }',
  );
  expect(errors).toBeUndefined();
  const rows = data.spendReport.nodes as { name: string | null; chargedCents: string }[];
  return Object.fromEntries(rows.map(({ name, chargedCents }) => [name ?? '-', chargedCents]));
}
async function list(...lines: string[]): Promise<void> {
  const csv = lines.join('\n');
  const { hash } = await get(PeopleImportService).preview(lark.system, csv);
  await get(PeopleImportService).apply(lark.system, { csv, hash, skipsFaulty: false });
}
const identity = async (key: string): Promise<number> => {
  const [{ id }] = await fixture.query<{ id: number }>('select id from spend_identities where key = $1', [key]);
  return id;
};
const person = async (email: string): Promise<string> => {
  const [{ id }] = await fixture.query<{ id: string }>('select id from spend_people where email = $1', [email]);
  return id;
};
const total = (sums: Record<string, string>) => Object.values(sums).reduce((sum, cents) => sum + Number(cents), 0);

describe('past usage', () => {
  it('is unmatched at first', async () => {
    expect(Object.values(await byGroup())).toEqual(['123.75']);
  });

  it('is matched to people from an imported list', async () => {
    await list(
      'email,name,group,aliases',
      'ada@lark.example,Ada,Carts,ada@old.example',
      'bob@lark.example,Bob,Lanterns,',
    );
    await expect(byGroup()).resolves.toMatchObject({ Carts: '100', Lanterns: '3' });
  });

  it('follows the matches that an administrator makes and removes', async () => {
    const trial = await identity('ada+trial@lark.example');
    await get(VendorIdentitiesService).match(lark.system, [
      { identityId: trial, personId: await person('ada@lark.example') },
    ]);
    await expect(byGroup()).resolves.toMatchObject({ Carts: '120.5', Lanterns: '3' });
    await get(VendorIdentitiesService).unmatch(lark.system, [trial]);
    await expect(byGroup()).resolves.toMatchObject({ Carts: '100', Lanterns: '3' });
    await get(VendorIdentitiesService).match(lark.system, [
      { identityId: trial, personId: await person('bob@lark.example') },
    ]);
    await expect(byGroup()).resolves.toMatchObject({ Carts: '100', Lanterns: '23.5' });
  });

  it('moves with people to another group', async () => {
    await list('email,group', 'bob@lark.example,Carts');
    const sums = await byGroup();
    expect(sums.Carts).toBe('123.5');
    expect(sums).not.toHaveProperty('Lanterns');
  });

  it('moves with merged people', async () => {
    await get(PeopleService).create(lark.system, { name: 'N. Else', email: 'nobody@else.example' });
    expect(total(await byGroup())).toBe(123.75);
    await get(PeopleService).merge(lark.system, {
      from: await person('nobody@else.example'),
      into: await person('bob@lark.example'),
    });
    await expect(byGroup()).resolves.toEqual({ Carts: '123.75' });
  });

  it('stays with removed people', async () => {
    await get(PeopleService).remove(lark.system, await person('ada@lark.example'));
    await get(DatabaseService).tenant(lark.system, (tx) => get(IdentityMatchingService).match(tx, lark.system));
    await expect(byGroup()).resolves.toEqual({ Carts: '123.75' });
  });

  it('is unmatched again after the alias is removed', async () => {
    await get(PeopleService).removeAlias(lark.system, await person('ada@lark.example'), 'ada@old.example');
    const sums = await byGroup();
    expect(sums.Carts).toBe('23.75');
    expect(total(sums)).toBe(123.75);
  });
});

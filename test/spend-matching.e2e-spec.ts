import { afterAll, beforeAll, expect, it } from 'vitest';
import fc from 'fast-check';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Tx } from '../src/platform/database/tx.js';
import { IdentityMatchingService } from '../src/people/identity-matching.service.js';
import { insertPeople } from '../src/people/people-rows.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';
import { runSql } from './kit/run-sql.js';

/* For any set of people and identities, the matches agree with an independent implementation of the rules. */

let server: TestServer;
let lark: Organization;
let feeds: SpendIdentityFixture[];
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  feeds = [];
  for (const vendor of ['cursor', 'cursor', 'elsewhere'])
    feeds.push(await SpendIdentityFixture.create(server, lark, vendor));
});
afterAll(() => server.close());

interface Named {
  feed: number;
  kind: 'email' | 'login' | 'vendor_user_id' | 'service_account' | 'unattributed';
  key: string;
  email: string | null;
  vendorUserId: string | null;
  state: 'open' | 'ignored' | 'unmatched';
  /** The index of its current person. */
  of: number | null;
}
interface Alias {
  kind: 'email' | 'login' | 'vendor_user_id';
  vendor: string;
  key: string;
  of: number;
}
interface World {
  emails: string[];
  aliases: Alias[];
  identities: Named[];
}

const vendorOf = (feed: number) => (feed < 2 ? 'cursor' : 'elsewhere');
const address = fc.constantFrom('a@x.example', 'b@x.example', 'c@x.example', 'd@x.example', 'a+t@x.example');
const login = fc.constantFrom('1', '2', '3');

const world: fc.Arbitrary<World> = fc
  .record({
    emails: fc.uniqueArray(address, { minLength: 1, maxLength: 3 }),
    aliases: fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('email' as const), vendor: fc.constant(''), key: address, of: fc.nat(2) }),
        fc.record({
          kind: fc.constantFrom('login' as const, 'vendor_user_id' as const),
          vendor: fc.constantFrom('cursor', 'elsewhere'),
          key: login,
          of: fc.nat(2),
        }),
      ),
      { maxLength: 4 },
    ),
    identities: fc.array(
      fc
        .record({
          feed: fc.nat(2),
          kind: fc.constantFrom<Named['kind']>(
            'email',
            'email',
            'login',
            'vendor_user_id',
            'service_account',
            'unattributed',
          ),
          email: fc.option(address),
          vendorUserId: fc.option(login),
          state: fc.constantFrom<Named['state']>('open', 'open', 'open', 'ignored', 'unmatched'),
          of: fc.option(fc.nat(2), { freq: 4 }),
          key: fc.tuple(address, login),
        })
        .map(({ key: [mail, number], ...named }) => ({ ...named, key: named.kind === 'email' ? mail : number })),
      { maxLength: 6 },
    ),
  })
  .map(possible);

/** Makes addresses and identities unique, and references valid. */
function possible({ emails, aliases, identities }: World): World {
  const once = <T>(list: T[], key: (item: T) => string) => [...new Map(list.map((item) => [key(item), item])).values()];
  const someone = (of: number) => of % emails.length;
  return {
    emails,
    aliases: once(
      aliases.filter(({ kind, key }) => kind !== 'email' || !emails.includes(key)),
      ({ kind, vendor, key }) => `${kind} ${vendor} ${key}`,
    ).map((alias) => ({ ...alias, of: someone(alias.of) })),
    identities: once(identities, ({ feed, kind, key }) => `${feed} ${kind} ${key}`).map((identity) => ({
      ...identity,
      of: identity.of === null || identity.state !== 'open' ? null : someone(identity.of),
    })),
  };
}

/** Applies the first rule that finds exactly one person, and repeats until nothing changes. */
function expected({ emails, aliases, identities }: World): (number | null)[] {
  const found = identities.map(({ of }) => of);
  const holder = (kind: string, vendor: string, key: string | null) =>
    aliases.filter((alias) => alias.kind === kind && alias.vendor === vendor && alias.key === key).map(({ of }) => of);
  const rules = ({ feed, kind, key, email, vendorUserId }: Named): number[][] => {
    const mail = kind === 'email' ? key : kind === 'login' || kind === 'vendor_user_id' ? email : null;
    const own = emails.flatMap((known, of) => (known === mail ? [of] : []));
    const siblings = identities.flatMap((other, at) =>
      other.feed === feed && vendorUserId !== null && other.vendorUserId === vendorUserId ? [found[at]] : [],
    );
    return [
      [...own, ...holder('email', '', mail)],
      kind === 'email' ? [] : holder(kind, vendorOf(feed), key),
      vendorUserId === null ? [] : holder('vendor_user_id', vendorOf(feed), vendorUserId),
      siblings.filter((of) => of !== null),
    ];
  };
  for (;;) {
    const round = identities.map((identity, at) => {
      if (found[at] !== null || identity.state !== 'open' || identity.kind === 'unattributed') return found[at];
      const sure = rules(identity).find((people) => new Set(people).size === 1);
      return sure?.[0] ?? null;
    });
    if (round.every((of, at) => of === found[at])) return found;
    found.splice(0, found.length, ...round);
  }
}

const undone = Symbol('undone');

async function matched({ emails, aliases, identities }: World): Promise<(number | null)[]> {
  let people: string[] = [];
  let found: (string | null)[] = [];
  const run = server.app.get(DatabaseService).tenant(lark.system, async (tx) => {
    people = await insertPeople(
      tx,
      lark.tenant.id,
      emails.map((email) => ({ email, name: email })),
    );
    for (const { kind, vendor, key, of } of aliases)
      await runSql(
        tx,
        'insert into spend_aliases (tenant_id, kind, vendor, key, person_id, created_at) values ($1, $2, $3, $4, $5, now())',
        [lark.tenant.id, kind, vendor, key, people[of]],
      );
    const ids: number[] = [];
    for (const identity of identities) ids.push(await insertIdentity(tx, identity, people));
    await server.app.get(IdentityMatchingService).match(tx, lark.system);
    const rows = await runSql<{ id: number; person: string | null }>(
      tx,
      'select id, person_id as person from spend_identities where tenant_id = $1 and id = any($2)',
      [lark.tenant.id, ids],
    );
    found = ids.map((id) => rows.find((row) => row.id === id)!.person);
    throw undone;
  });
  await expect(run).rejects.toBe(undone);
  return found.map((id) => (id === null ? null : people.indexOf(id)));
}

async function insertIdentity(
  tx: Tx,
  { feed, kind, key, email, vendorUserId, state, of }: Named,
  people: string[],
): Promise<number> {
  const [{ id }] = await runSql<{ id: number }>(
    tx,
    `insert into spend_identities
       (tenant_id, connection_id, kind, key, email, vendor_user_id, person_id, matched_by, unmatched_at, is_ignored, has_seat, first_seen)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true, now()) returning id`,
    [
      lark.tenant.id,
      feeds[feed].id,
      kind,
      key,
      email,
      vendorUserId,
      of === null ? null : people[of],
      of === null ? null : 'person',
      state === 'unmatched' ? new Date() : null,
      state === 'ignored',
    ],
  );
  return id;
}

it('matches identities by the rules for any data', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (some) => {
      expect(await matched(some)).toEqual(expected(some));
    }),
    { numRuns: 150 },
  );
});

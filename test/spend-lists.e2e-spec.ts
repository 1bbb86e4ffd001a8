import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { IdentityMatchingService } from '../src/people/identity-matching.service.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';

let server: TestServer;
let lark: Organization;
let admin: GraphqlRequest;
let cursor: SpendIdentityFixture;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  admin = await lark.as();
  cursor = await SpendIdentityFixture.create(server, lark);
});
afterAll(() => server.close());

const match = () =>
  server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) => server.app.get(IdentityMatchingService).match(tx, lark.system));
const csvOf = (...lines: string[]) => lines.join('\r\n');
const what = `hash addedCount changedCount unchanged faultCount newUnits { kind name } ignoredColumns
  added { line email name } changed { line email changes { field from to } note } faults { line column reason }`;
const preview = (csv: string, ask = admin) =>
  ask(`query ($input: PreviewSpendPeopleImportInput!) { previewSpendPeopleImport(input: $input) { ${what} } }`, {
    input: { csv },
  });
const apply = (input: object) =>
  admin(`mutation ($input: ImportSpendPeopleInput!) { importSpendPeople(input: $input) { ${what} } }`, { input });
async function previewed(csv: string) {
  const { data, errors } = await preview(csv);
  expect(errors).toBeUndefined();
  return data.previewSpendPeopleImport;
}
async function applied(csv: string, skipsFaulty = false) {
  const { data, errors } = await apply({ csv, hash: (await previewed(csv)).hash, skipsFaulty });
  expect(errors).toBeUndefined();
  return data.importSpendPeople;
}
const find = async (search: string) =>
  (
    await admin('query ($search: String) { spendPeople(search: $search) { nodes { name email aliases groupId } } }', {
      search,
    })
  ).data.spendPeople.nodes;

describe('an import', () => {
  it('changes nothing in the preview and then applies exactly the preview', async () => {
    const csv = csvOf(
      '\ufeffE-Mail;Name;Team;Cost Centre;Aliases;Phone',
      'Ina.Imported@lark.example;Ina Imported;Platform;CC-1;ina@old.example ii@old.example;+49',
      'uwe@lark.example;"Uwe ""U"" \nUmlaut";platform;;;',
    );
    const shown = await previewed(csv);
    expect(shown).toMatchObject({
      addedCount: 2,
      changedCount: 0,
      faultCount: 0,
      ignoredColumns: ['Phone'],
      newUnits: [
        { kind: 'group', name: 'Platform' },
        { kind: 'cost_centre', name: 'CC-1' },
      ],
      added: [
        { line: 2, email: 'ina.imported@lark.example', name: 'Ina Imported' },
        { line: 3, email: 'uwe@lark.example', name: 'Uwe "U" Umlaut' },
      ],
    });
    expect(await find('imported')).toEqual([]);
    await expect(apply({ csv, hash: shown.hash })).resolves.toMatchObject({ data: { importSpendPeople: shown } });
    const [ina] = await find('ina@old');
    expect(ina).toMatchObject({ name: 'Ina Imported', aliases: ['ii@old.example', 'ina@old.example'] });
    expect((await find('uwe'))[0].groupId).toBe(ina.groupId);
    await expect(previewed(csv)).resolves.toMatchObject({ addedCount: 0, changedCount: 0, unchanged: 2, newUnits: [] });
  });

  it('matches existing vendor identities', async () => {
    const identity = await cursor.createIdentity({ key: 'mara@elsewhere.example' });
    await applied(csvOf('email,name,aliases', 'mara@lark.example,Mara Moved,mara@elsewhere.example'));
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ matchedBy: 'alias', name: 'Mara Moved' });
    const { changed } = await applied(csvOf('email,group', 'mara@lark.example,Movers'));
    expect(changed).toEqual([
      { line: 2, email: 'mara@lark.example', changes: [{ field: 'group', from: null, to: 'Movers' }], note: null },
    ]);
    await applied(csvOf('email,name', 'mara@lark.example,Mara Renamed'));
  });

  it('assigns members to groups and keeps the names of their accounts', async () => {
    const member = await lark.member({ name: 'Mick Member' });
    const { changed } = await applied(csvOf('email,name,group', `${member.email.toUpperCase()},Michael Member,Movers`));
    expect(changed).toMatchObject([
      { changes: [{ field: 'group', to: 'Movers' }], note: 'keeps the name of the member account' },
    ]);
    expect((await find('Mick Member'))[0]).toMatchObject({ groupId: expect.any(String) });
  });

  it('with faulty lines changes nothing unless they are skipped', async () => {
    const csv = csvOf(
      'email,name',
      'fine@lark.example,Fine',
      'broken,X',
      'sum@lark.example,=SUM(A1)',
      'fine@lark.example,Again',
    );
    const { hash, faults } = await previewed(csv);
    expect(faults).toEqual([
      { line: 3, column: 'email', reason: 'is not an email address' },
      { line: 4, column: 'name', reason: 'begins with "=" like a formula: remove this character' },
      { line: 5, column: null, reason: 'line 2 already lists fine@lark.example' },
    ]);
    const refused = await apply({ csv, hash });
    expect(refused).toMatchObject({ code: 'spend-list-faulty' });
    expect(refused.errors![0].message).toBe('3 faults; the first one in line 3: is not an email address.');
    expect(await find('fine@lark')).toEqual([]);
    await expect(apply({ csv, hash, skipsFaulty: true })).resolves.toMatchObject({
      data: { importSpendPeople: { addedCount: 1 } },
    });
    expect(await find('fine@lark')).toMatchObject([{ name: 'Fine' }]);
    expect(await find('sum@lark')).toEqual([]);
  });

  it('is rejected if the list or the people changed since the preview', async () => {
    const csv = csvOf('email,group', 'late@lark.example,Movers');
    const { hash } = await previewed(csv);
    await expect(apply({ csv: csvOf('email,group', 'late@lark.example,Others'), hash })).resolves.toMatchObject({
      code: 'spend-list-changed',
    });
    await applied(csvOf('email,name', 'late@lark.example,Was First'));
    await expect(apply({ csv, hash })).resolves.toMatchObject({ code: 'spend-list-changed' });
    expect((await find('late@lark'))[0].groupId).toBeNull();
  });

  it('is applied once if two administrators apply it concurrently', async () => {
    const csv = csvOf('email,name', 'twice@lark.example,Twice');
    const { hash } = await previewed(csv);
    const answers = await Promise.all([apply({ csv, hash }), apply({ csv, hash })]);
    expect(answers.map(({ code }) => code ?? 'done').sort()).toEqual(['done', 'spend-list-changed']);
  });

  it('rejects a file that is not a list of people', async () => {
    for (const csv of ['', 'Ada,Lovelace', 'email,email\na@b.example,c@d.example', '"email'])
      await expect(preview(csv)).resolves.toMatchObject({ code: 'spend-list-unreadable' });
  });

  it('is audited with every changed person', async () => {
    await applied(csvOf('email,name,cost_centre,aliases', 'rec@lark.example,Rec Orded,CC-7,rec@home.example'));
    const read = async (kind: string) =>
      (await admin(`{ auditEvents(kind: "${kind}", first: 1) { nodes { subject detail actor } } }`)).data.auditEvents
        .nodes[0];
    await expect(read('spend_list.applied')).resolves.toMatchObject({
      actor: { memberId: lark.admin.id },
      detail: { added: 1, changed: 0, leftOut: 0, newGroups: 1, file: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    await expect(read('spend_person.created')).resolves.toMatchObject({
      subject: { name: 'Rec Orded' },
      detail: { email: 'rec@lark.example', cost_centre: { from: null, to: 'CC-7' }, aliases: ['rec@home.example'] },
    });
  });

  it('is only available to administrators', async () => {
    for (const role of ['member', 'auditor', 'analyst'] as const) {
      const ask = await lark.as(await lark.member({ roles: [role] }));
      await expect(preview('email\nx@y.example', ask)).resolves.toMatchObject({ code: 'forbidden' });
    }
  });
});

describe('the export of people', () => {
  const download = async (member = lark.admin) => (await lark.browser(member)).fetch('/console/exports/people.csv');

  it('can be edited and imported again', async () => {
    await applied(
      csvOf('email,name,group,aliases', '\'+x@lark.example,\'=Formula,"Semi; colon","-x@lark.example, y@home.example"'),
    );
    const response = await download();
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="people.csv"');
    const csv = await response.text();
    expect(csv).toContain(`'+x@lark.example,'=Formula,"Semi; colon",,`);
    const { added, changed, faults, unchanged } = await previewed(csv);
    expect({ added, changed, faults }).toEqual({ added: [], changed: [], faults: [] });
    expect(unchanged).toBe(csv.trim().split('\r\n').length - 1);
    await expect(previewed(csv.replace('Semi; colon', 'Semi'))).resolves.toMatchObject({ changedCount: 1 });
  });

  it('is only available to administrators', async () => {
    for (const role of ['member', 'auditor', 'analyst'] as const)
      expect((await download(await lark.member({ roles: [role] }))).status).toBe(403);
  });
});

describe('an import of 10,000 people', () => {
  const people = Array.from({ length: 10_000 }, (_, n) => {
    const line = `person.${n}@long.example,Person ${n} Of Many,Group ${n % 40},Centre ${n % 25}`;
    return n % 1000 === 500 ? line.replace('@', ' at ') : line;
  });
  const csv = csvOf('email,name,group,cost_centre', ...people);

  it('previews all people and reports faults by line', async () => {
    const shown = await previewed(csv);
    expect(shown).toMatchObject({ addedCount: 9990, faultCount: 10 });
    expect(shown.newUnits).toHaveLength(65);
    expect(shown.faults.map(({ line }: { line: number }) => line)).toEqual(
      Array.from({ length: 10 }, (_, n) => n * 1000 + 502),
    );
    expect(shown.added).toHaveLength(100);
    const further = await admin(
      'query ($input: PreviewSpendPeopleImportInput!) { previewSpendPeopleImport(input: $input) { added(first: 2, afterLine: 9999) { line } } }',
      { input: { csv } },
    );
    expect(further.data.previewSpendPeopleImport.added).toEqual([{ line: 10000 }, { line: 10001 }]);
  });

  it('is applied in one transaction and changes nothing when repeated', async () => {
    const identity = await cursor.createIdentity({ key: 'person.9999@long.example' });
    await expect(applied(csv, true)).resolves.toMatchObject({ addedCount: 9990 });
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Person 9999 Of Many' });
    await expect(previewed(csv)).resolves.toMatchObject({ addedCount: 0, changedCount: 0, unchanged: 9990 });
    expect(await match()).toBe(0);
  });

  it('is exported completely', async () => {
    const csv = await (await (await lark.browser()).fetch('/console/exports/people.csv')).text();
    expect(csv.match(/@long\.example/g)).toHaveLength(9990);
  });
});

import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { InvalidPeopleList, parsePeopleList } from './people-list.js';
import { type ExistingPeople, type ExistingPerson, planPeopleImport } from './people-import-plan.js';

const ada: ExistingPerson = {
  id: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@lark.example',
  memberId: null,
  groupId: 'platform',
  costCentreId: null,
  removedAt: null,
};
const grace: ExistingPerson = {
  ...ada,
  id: 'grace',
  name: 'Grace Hopper',
  email: 'grace@lark.example',
  memberId: 'm1',
};
const known: ExistingPeople = {
  holders: new Map([
    ['ada@lark.example', ada],
    ['ada@old.example', ada],
    ['grace@lark.example', grace],
  ]),
  units: [{ id: 'platform', kind: 'group', name: 'Platform' }],
};
const plan = (...lines: string[]) => planPeopleImport(parsePeopleList(lines.join('\n')), known);
const faults = (...lines: string[]) =>
  plan(...lines).faults.map(({ line, column, reason }) => `${line} ${column ?? '-'}: ${reason}`);

describe('planPeopleImport', () => {
  it('plans the changes of each line', () => {
    const { added, changed, unchanged, newUnits } = plan(
      'E-Mail;Name;Team;Cost Center',
      'ADA@lark.example;Ada King;PLATFORM;CC-1',
      'grace@lark.example;Grace B. Hopper;Platform;',
      'new@lark.example;;Data  Science;cc-1',
    );
    expect(changed).toEqual([
      {
        line: 2,
        email: 'ada@lark.example',
        name: 'Ada Lovelace',
        personId: 'ada',
        changes: [
          { field: 'name', from: 'Ada Lovelace', to: 'Ada King' },
          { field: 'cost_centre', from: null, to: 'CC-1' },
        ],
        note: null,
      },
    ]);
    expect(added).toMatchObject([{ line: 4, email: 'new@lark.example', name: 'new', personId: null }]);
    expect(unchanged).toBe(1);
    expect(newUnits).toEqual([
      { kind: 'cost_centre', name: 'CC-1' },
      { kind: 'group', name: 'Data Science' },
    ]);
  });

  it('leaves fields without a column unchanged and clears fields with an empty cell', () => {
    expect(plan('email,name', 'ada@lark.example,Ada Lovelace')).toMatchObject({ changed: [], unchanged: 1 });
    expect(plan('email,group', 'ada@lark.example,')).toMatchObject({
      changed: [{ changes: [{ field: 'group', from: 'Platform', to: null }] }],
    });
    expect(plan('email,name', 'ada@lark.example,')).toMatchObject({ unchanged: 1 });
  });

  it('lists ignored columns', () => {
    expect(plan('email,Phone,,name', 'ada@lark.example,1,,Ada Lovelace')).toMatchObject({
      ignoredColumns: ['Phone'],
      unchanged: 1,
    });
  });

  it('reads line breaks in cells as spaces and counts lines like an editor', () => {
    const { added, faults } = plan('email,name', '"x@lark.example","Xaver\r\nX"', 'none', 'y@lark.example,Y');
    expect(added.map(({ name, line }) => [name, line])).toEqual([
      ['Xaver X', 2],
      ['Y', 5],
    ]);
    expect(faults).toMatchObject([{ line: 4 }]);
  });

  it.each([
    ['a name that looks like a formula', 'x@lark.example,=HYPERLINK("https://evil.example")', 'quote'],
    ['a quoted formula', 'x@lark.example,"=HYPERLINK(""https://evil.example"")"', 'begins with "="'],
    ['a leading plus sign', 'x@lark.example,+49', 'begins with "+"'],
    ['a leading at sign', 'x@lark.example,@SUM(A1)', 'begins with "@"'],
    ['an invalid email address', 'x,X', 'email: is not an email address'],
    ['an empty email address', ' ,X', 'email: is missing'],
    ['too few cells', 'x@lark.example', 'has 1 cells, but the first line has 2'],
    ['too many cells', 'x@lark.example,X,Y', 'has 3 cells'],
    ['a right-to-left override', 'x@lark.example,a\u202eb', 'cannot be displayed'],
    ['a lone surrogate', 'x@lark.example,a\ud800b', 'cannot be displayed'],
    ['a NUL character', 'x@lark.example,a\0b', 'cannot be displayed'],
    ['an email address with an invisible character', 'x\u200b@lark.example,X', 'is not an email address'],
    ['a replacement character', 'x@lark.example,M\ufffdller', 'save the list as UTF-8'],
    ['a long name', `x@lark.example,${'x'.repeat(121)}`, 'more than 120'],
  ])('rejects a line with %s', (_, line, reason) => {
    expect(faults('email,name', 'y@lark.example,Y', line)).toEqual([expect.stringMatching(/^3 /)]);
    expect(faults('email,name', line)[0]).toContain(reason);
  });

  it('never assigns one email address to two people', () => {
    expect(
      faults(
        'email,aliases',
        'ada@old.example,', // 2: an alias of Ada
        'x@lark.example,grace@lark.example', // 3: Grace's address
        'y@lark.example,y@home.example ada@old.example', // 4: an alias of Ada
        'z@lark.example,pool@lark.example', // 5: valid
        'w@lark.example,POOL@lark.example', // 6: the alias of line 5
        'v@lark.example,z@lark.example', // 7: the email address of line 5
        'Z@lark.example,', // 8: duplicate
        'ada@lark.example,ada@old.example', // 9: already an alias of Ada
      ),
    ).toEqual([
      '2 -: ada@old.example is an alias of Ada Lovelace (ada@lark.example): list that email address instead or remove the alias',
      '3 -: the alias grace@lark.example is the email address of Grace Hopper (grace@lark.example)',
      '4 -: the alias ada@old.example is an alias of Ada Lovelace (ada@lark.example)',
      '6 -: line 5 already assigns the alias pool@lark.example to z@lark.example',
      '7 -: the alias z@lark.example is the email address of line 5',
      '8 -: line 5 already lists z@lark.example',
    ]);
  });

  it('keeps the name of a member account and adds a note', () => {
    expect(plan('email,name,cost_centre', 'grace@lark.example,Amazing Grace,CC-9')).toMatchObject({
      changed: [{ note: 'keeps the name of the member account', changes: [{ field: 'cost_centre', to: 'CC-9' }] }],
    });
  });

  it('adds a note that a removed person stays removed', () => {
    const removed = { ...ada, removedAt: new Date() };
    const list = parsePeopleList('email,group\nada@lark.example,Other');
    expect(planPeopleImport(list, { ...known, holders: new Map([['ada@lark.example', removed]]) })).toMatchObject({
      changed: [{ note: 'was removed and stays removed' }],
    });
  });

  it.each([
    ['', 'empty'],
    ['\ufeff', 'empty'],
    ['name,group\nAda,Platform', '"email"'],
    ['ada@lark.example,Ada\n', '"email"'],
    ['email,Team,group\n', 'appears twice'],
    ['"email', 'cannot be read'],
    [`email\n${'a@b.example\n'.repeat(50_001)}`, 'more than 50000'],
  ])('rejects a file without valid columns or with too many lines: %#', (text, reason) => {
    expect(() => parsePeopleList(text)).toThrow(InvalidPeopleList);
    expect(() => parsePeopleList(text)).toThrow(reason);
  });

  it('counts every line exactly once', () => {
    const cell = fc.oneof(
      fc.constantFrom('ada@lark.example', 'ada@old.example', 'x@lark.example', '', '=1', 'Platform'),
      fc.string().map((text) => text.replace(/[",;\t\r\n]/g, '')),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }), (rows) => {
        const lines = rows.map((row) => row.join(',')).filter((line) => line.trim() !== '');
        const { added, changed, unchanged, faults } = plan('email,aliases,group', ...lines);
        const faulty = new Set(faults.map(({ line }) => line)).size;
        expect(added.length + changed.length + unchanged + faulty).toBe(lines.length);
      }),
    );
  });
});

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

describe('a list', () => {
  it('says what changes, line by line', () => {
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

  it('leaves alone what it has no column for, and clears what is empty', () => {
    expect(plan('email,name', 'ada@lark.example,Ada Lovelace')).toMatchObject({ changed: [], unchanged: 1 });
    expect(plan('email,group', 'ada@lark.example,')).toMatchObject({
      changed: [{ changes: [{ field: 'group', from: 'Platform', to: null }] }],
    });
    expect(plan('email,name', 'ada@lark.example,')).toMatchObject({ unchanged: 1 });
  });

  it('names the columns that it does not read', () => {
    expect(plan('email,Phone,,name', 'ada@lark.example,1,,Ada Lovelace')).toMatchObject({
      ignoredColumns: ['Phone'],
      unchanged: 1,
    });
  });

  it('reads line breaks inside of cells as blanks, and numbers lines as an editor does', () => {
    const { added, faults } = plan('email,name', '"x@lark.example","Xaver\r\nX"', 'none', 'y@lark.example,Y');
    expect(added.map(({ name, line }) => [name, line])).toEqual([
      ['Xaver X', 2],
      ['Y', 5],
    ]);
    expect(faults).toMatchObject([{ line: 4 }]);
  });

  it.each([
    ['a name like a formula', 'x@lark.example,=HYPERLINK("https://evil.example")', 'quote'],
    ['a quoted formula', 'x@lark.example,"=HYPERLINK(""https://evil.example"")"', 'begins with "="'],
    ['a plus', 'x@lark.example,+49', 'begins with "+"'],
    ['an at sign', 'x@lark.example,@SUM(A1)', 'begins with "@"'],
    ['no address', 'x,X', 'email: is no e-mail address'],
    ['an empty address', ' ,X', 'email: is missing'],
    ['too few cells', 'x@lark.example', 'has 1 cells; the first line names 2'],
    ['too many cells', 'x@lark.example,X,Y', 'has 3 cells'],
    ['a turn of direction', 'x@lark.example,a\u202eb', 'cannot be shown'],
    ['half a character', 'x@lark.example,a\ud800b', 'cannot be shown'],
    ['a NUL', 'x@lark.example,a\0b', 'cannot be shown'],
    ['an invisible address', 'x\u200b@lark.example,X', 'is no e-mail address'],
    ['a lost character', 'x@lark.example,M\ufffdller', 'save the list as UTF-8'],
    ['a long name', `x@lark.example,${'x'.repeat(121)}`, 'more than 120'],
  ])('finds fault with %s', (_, line, reason) => {
    expect(faults('email,name', 'y@lark.example,Y', line)).toEqual([expect.stringMatching(/^3 /)]);
    expect(faults('email,name', line)[0]).toContain(reason);
  });

  it('makes no address two people’s', () => {
    expect(
      faults(
        'email,aliases',
        'ada@old.example,', // 2: an alias of Ada
        'x@lark.example,grace@lark.example', // 3: Grace's address
        'y@lark.example,y@home.example ada@old.example', // 4: an alias of Ada
        'z@lark.example,pool@lark.example', // 5: fine
        'w@lark.example,POOL@lark.example', // 6: line 5's
        'v@lark.example,z@lark.example', // 7: whom line 5 is about
        'Z@lark.example,', // 8: again
        'ada@lark.example,ada@old.example', // 9: hers already
      ),
    ).toEqual([
      '2 -: ada@old.example is an alias of Ada Lovelace (ada@lark.example): list that address instead, or take the alias away',
      '3 -: the alias grace@lark.example is the address of Grace Hopper (grace@lark.example)',
      '4 -: the alias ada@old.example is an alias of Ada Lovelace (ada@lark.example)',
      '6 -: line 5 gives the alias pool@lark.example to z@lark.example already',
      '7 -: the alias z@lark.example is whom line 5 is about',
      '8 -: line 5 is about z@lark.example already',
    ]);
  });

  it('names members as their accounts do, and says so', () => {
    expect(plan('email,name,cost_centre', 'grace@lark.example,Amazing Grace,CC-9')).toMatchObject({
      changed: [{ note: 'keeps the name of the account', changes: [{ field: 'cost_centre', to: 'CC-9' }] }],
    });
  });

  it('says of whom is gone that they stay so', () => {
    const gone = { ...ada, removedAt: new Date() };
    const list = parsePeopleList('email,group\nada@lark.example,Other');
    expect(planPeopleImport(list, { ...known, holders: new Map([['ada@lark.example', gone]]) })).toMatchObject({
      changed: [{ note: 'is gone, and stays so' }],
    });
  });

  it.each([
    ['', 'empty'],
    ['\ufeff', 'empty'],
    ['name,group\nAda,Platform', '"email"'],
    ['ada@lark.example,Ada\n', '"email"'],
    ['email,Team,group\n', 'there twice'],
    ['"email', 'cannot be read'],
    [`email\n${'a@b.example\n'.repeat(50_001)}`, 'more than 50000'],
  ])('is none without columns, or without end: %#', (text, reason) => {
    expect(() => parsePeopleList(text)).toThrow(InvalidPeopleList);
    expect(() => parsePeopleList(text)).toThrow(reason);
  });

  it('counts every line once, whatever is in it', () => {
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

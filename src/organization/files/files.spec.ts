import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutDefaults } from '../documents.js';
import { documentFiles, documentStream, type ExportedDocument } from './document-files.js';
import { type FolderError, readDocumentFolder } from './document-folder.js';
import { parseYamlFile } from './yaml-documents.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'documents-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
}

const faultsOf = (name = folder): Promise<string[]> =>
  readDocumentFolder(name).then(
    () => [],
    (error: FolderError) => error.message.split('\n'),
  );

const exported: ExportedDocument[] = [
  { kind: 'group', name: 'Support "A"' },
  {
    kind: 'connection',
    name: 'tickets',
    connector: 'mcp',
    settings: { url: 'https://tickets.example', list: ['on', '1'] },
  },
  { kind: 'configuration', name: 'Täglich: Früh', connections: ['tickets'] },
  { kind: 'configuration', name: 'T gl/ich fr/h' },
  { kind: 'policy', configuration: 'Täglich: Früh', text: '// über alles\npermit (principal, action, resource);\n\n' },
  { kind: 'policy', configuration: 'T gl/ich fr/h', text: '  forbid (principal, action, resource);' },
  { kind: 'configuration', name: 'Aux' },
  { kind: 'policy', configuration: 'Aux', text: ' ' },
  { kind: 'budget', scope: 'organization', amountCents: '1000' },
];

describe('files', () => {
  it('contain what they were written from', async () => {
    await write(Object.fromEntries(documentFiles(exported)));
    const { documents } = await readDocumentFolder(folder);
    const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();
    expect(sorted(documents.map(withoutDefaults))).toEqual(sorted(exported));
  });

  it('can be one stream', async () => {
    await write({ 'all.yaml': documentStream(exported) });
    const { documents } = await readDocumentFolder(folder);
    expect(documents.map(withoutDefaults)).toEqual(exported);
  });

  it('have names that are possible on every file system, and none out of the folder', () => {
    const names = ['../../etc/passwd', '..', '/', 'CON', 'con', 'a\n\u001b[31m\u202eb', 'x'.repeat(80)];
    const files = documentFiles(names.map((name) => ({ kind: 'client', name })));
    expect([...files.keys()]).toEqual([
      'clients/etc-passwd.yaml',
      'clients/unnamed.yaml',
      'clients/unnamed-2.yaml',
      'clients/con-1.yaml',
      'clients/con-1-2.yaml',
      'clients/a-31m-b.yaml',
      `clients/${'x'.repeat(80)}.yaml`,
      'organization.schema.json',
    ]);
  });

  it('name the JSON Schema for editors', () => {
    const files = documentFiles(exported);
    expect(files.get('connections/tickets.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/organization\.schema\.json\nkind: connection\n/,
    );
    expect([...files.keys()]).toContain('organization.schema.json');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'an unknown field',
      { 'a.yaml': 'kind: group\nname: A\ncolour: red\n' },
      'a.yaml:3:1 colour: is not a known field',
    ],
    [
      'a wrong value in a second document',
      { 'a.yaml': 'kind: group\nname: A\n---\nkind: approval-step\nname: x\ntier: all\n' },
      'a.yaml:6:1 tier: must be one of: confirm, review',
    ],
    ['a missing field', { 'a.yaml': '\n\nkind: group\n' }, 'a.yaml:3:1 name: is required'],
    [
      'two objects of one name',
      { 'a.yaml': 'kind: group\nname: A\n', 'b/b.yml': 'kind: group\nname: a\n' },
      'b/b.yml:1:1 the group "a" is already in a.yaml:1',
    ],
    [
      'two objects whose names look the same',
      { 'a.yaml': 'kind: group\nname: Caf\u00e9\n---\nkind: group\nname: Cafe\u0301\n' },
      'a.yaml:4:1 the group "Cafe\u0301" is already in a.yaml:1',
    ],
    ['a key that is not text', { 'a.yaml': 'kind: group\n? [name]\n: A\n' }, 'a.yaml:2:3 Map keys must be text'],
    [
      'the same key twice, once as a number',
      { 'a.yaml': 'kind: connection\nname: a\nconnector: mcp\nsettings: {1: x, "1": y}\n' },
      'a.yaml:4:18 Map keys must be unique',
    ],
    [
      'a key of every object',
      { 'a.yaml': 'kind: group\nname: A\n__proto__: {x: 1}\n' },
      'a.yaml:3:1 The key "__proto__" is not allowed',
    ],
    ['the same key twice', { 'a.yaml': 'kind: group\nname: A\nname: B\n' }, 'a.yaml:3:1 Map keys must be unique'],
    [
      'an unknown tag',
      { 'a.yaml': 'kind: group\nname: !!js/function A\n' },
      'a.yaml:2:7 Unresolved tag: tag:yaml.org,2002:js/function',
    ],
    ['no YAML', { 'a.yaml': 'kind: [\n' }, 'a.yaml:2:1 '],
    ['text that is not UTF-8', {}, 'a.yaml:1:1 is not UTF-8 text'],
    ['a list', { 'a.yaml': '- kind: group\n' }, 'a.yaml:1:1 must be of type object'],
    [
      'a policy text outside of the folder',
      { 'a.yaml': 'kind: policy\nconfiguration: A\ntext: {fromFile: ../../etc/passwd}\n' },
      'a.yaml:3:8 text.fromFile: must be the name of a .cedar file in the same folder',
    ],
    [
      'a policy text that does not exist',
      { 'a.yaml': 'kind: policy\nconfiguration: A\ntext: {fromFile: a.cedar}\n' },
      'a.yaml:3:8 text.fromFile: a.cedar cannot be read (ENOENT)',
    ],
  ])('are refused with %s', async (_, files, fault) => {
    await write(files);
    if (!Object.keys(files).length) await writeFile(path.join(folder, 'a.yaml'), Buffer.from([0xff, 0xfe, 0x41]));
    expect((await faultsOf())[0]).toContain(fault);
  });

  it('report all faults at once', async () => {
    await write({ 'a.yaml': 'kind: group\nnane: A\n', 'b.yaml': 'kind: team\n' });
    expect(await faultsOf()).toEqual([
      'a.yaml:1:1 name: is required',
      'a.yaml:2:1 nane: is not a known field',
      expect.stringContaining('b.yaml:1:1 kind: must be one of: group, connection'),
    ]);
  });

  it('are read through links to files of the folder, as Kubernetes mounts them', async () => {
    await write({ '..data/groups.yaml': 'kind: group\nname: A\n' });
    await symlink('..data/groups.yaml', path.join(folder, 'groups.yaml'));
    expect((await readDocumentFolder(folder)).documents).toHaveLength(1);
  });

  it('are not searched through links to folders', async () => {
    await write({ 'real/a.yaml': 'kind: group\nname: A\n' });
    await symlink(path.join(folder, 'real'), path.join(folder, 'linked'));
    expect((await readDocumentFolder(folder)).documents).toHaveLength(1);
  });

  it.each<[string, string, string]>([
    ['out of the folder', '/etc/hostname', 'a.yaml:1:1 is a link that leads out of the folder'],
    ['to nothing', 'nothing.yaml', 'a.yaml:1:1 cannot be read (ENOENT)'],
    ['in a loop', 'a.yaml', 'a.yaml:1:1 cannot be read (ELOOP)'],
    ['to a folder', '.', 'a.yaml:1:1 is a link that leads out of the folder'],
    ['to a device', '/dev/zero', 'a.yaml:1:1 is a link that leads out of the folder'],
  ])('are refused if a link leads %s', async (_, target, fault) => {
    await symlink(target, path.join(folder, 'a.yaml'));
    expect(await faultsOf()).toEqual([fault]);
  });

  it('are refused if the text of a policy is behind a link out of the folder', async () => {
    await write({ 'a.yaml': 'kind: policy\nconfiguration: A\ntext: {fromFile: a.cedar}\n' });
    await symlink('/etc/hostname', path.join(folder, 'a.cedar'));
    expect(await faultsOf()).toEqual(['a.yaml:3:8 text.fromFile: a.cedar is a link that leads out of the folder']);
  });

  it('report names with control characters on one line, as escapes', async () => {
    await write({ 'a\n\u001b[31m.yaml': 'kind: group\nname: A\n"\\e[2J\\u202e": x\n' });
    expect(await faultsOf()).toEqual(['a\\u000a\\u001b[31m.yaml:3:1 \\u001b[2J\\u202e: is not a known field']);
  });

  it('report no more than 100 faults', async () => {
    const fields = Array.from({ length: 50_000 }, (_, nth) => `f${nth}: 1\n`).join('');
    await write({ 'a.yaml': `kind: group\nname: A\n${fields}` });
    const faults = await faultsOf();
    expect(faults).toHaveLength(101);
    expect(faults[100]).toBe('There are more than 100 errors.');
  });

  it('are refused if a folder cannot be listed', async () => {
    await write({ 'a.yaml': '' });
    expect(await faultsOf(path.join(folder, 'a.yaml'))).toEqual(['.:1:1 cannot be read (ENOTDIR)']);
  });

  it('are refused if they are too large', async () => {
    await write({ 'a.yaml': `# ${'x'.repeat(1024 * 1024)}\n` });
    expect(await faultsOf()).toEqual(['a.yaml:1:1 is larger than 1048576 bytes']);
  });
});

describe('YAML', () => {
  it('with anchors that explode is refused', () => {
    const levels = 'abcdefghij'.split('');
    const lines = levels.map((name, nth) =>
      nth
        ? `${name}: &${name} [${Array(9)
            .fill(`*${levels[nth - 1]}`)
            .join(',')}]`
        : 'a: &a [x, x, x]',
    );
    const { documents, faults } = parseYamlFile('a.yaml', lines.join('\n'));
    expect(documents).toEqual([]);
    expect(faults).toEqual([
      expect.objectContaining({ message: 'The document has too many aliases, or an unknown one.' }),
    ]);
  });

  it('with a few anchors is read', () => {
    const { documents } = parseYamlFile('a.yaml', 'a: &a {x: 1}\nb: *a\n');
    expect(documents[0].value).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });

  it('with the key "__proto__", which would be lost, is refused', () => {
    const { documents, faults } = parseYamlFile('a.yaml', 'kind: connection\nsettings:\n  __proto__: 1\n');
    expect(documents).toEqual([]);
    expect(faults).toMatchObject([{ line: 3, column: 3, message: 'The key "__proto__" is not allowed' }]);
  });

  it('that is nested too deeply is refused', () => {
    const { documents, faults } = parseYamlFile('a.yaml', '['.repeat(200_000));
    expect(documents).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
  });

  const mebibyteOf = (line: (nth: number) => string) => {
    const lines: string[] = [];
    for (let nth = 0, length = 0; length < 1024 * 1000; nth++) length += lines[lines.push(line(nth)) - 1].length;
    return lines.join('');
  };
  it('that is a mebibyte of keys is read', () => {
    expect(
      parseYamlFile(
        'a.yaml',
        mebibyteOf((nth) => `k${nth}: x\n`),
      ),
    ).toMatchObject({ documents: [{}], faults: [] });
  });

  it.each<[string, string]>([
    ['anchors and aliases', mebibyteOf((nth) => `- &a${nth} x\n- *a${nth}\n`)],
    ['unknown tags', mebibyteOf(() => '- !a x\n')],
    ['quotes', mebibyteOf(() => '"')],
  ])('that is a mebibyte of %s is refused', (_, text) => {
    const { documents, faults } = parseYamlFile('a.yaml', text);
    expect(documents).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThan(200);
  });

  it('ends with a separator without a document after it', () => {
    expect(parseYamlFile('a.yaml', 'a: 1\n---\n')).toMatchObject({ documents: [{ value: { a: 1 } }], faults: [] });
  });

  it('keeps "no", "on" and numbers with leading zeros as text', () => {
    const { documents } = parseYamlFile('a.yaml', 'a: no\nb: on\nc: 2020-01-01\n');
    expect(documents[0].value).toEqual({ a: 'no', b: 'on', c: '2020-01-01' });
  });
});

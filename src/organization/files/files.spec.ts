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

const faultsOf = (): Promise<string[]> =>
  readDocumentFolder(folder).then(
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

  it('are not read through links', async () => {
    await write({ 'real/a.yaml': 'kind: group\nname: A\n' });
    await symlink(path.join(folder, 'real'), path.join(folder, 'linked'));
    await symlink(path.join(folder, 'real/a.yaml'), path.join(folder, 'b.yaml'));
    expect((await readDocumentFolder(folder)).documents).toHaveLength(1);
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

  it('that is nested too deeply is refused', () => {
    const { documents, faults } = parseYamlFile('a.yaml', '['.repeat(200_000));
    expect(documents).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
  });

  it('keeps "no", "on" and numbers with leading zeros as text', () => {
    const { documents } = parseYamlFile('a.yaml', 'a: no\nb: on\nc: 2020-01-01\n');
    expect(documents[0].value).toEqual({ a: 'no', b: 'on', c: '2020-01-01' });
  });
});

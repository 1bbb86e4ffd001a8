import { Document, Scalar } from 'yaml';
import { documentJsonSchema, type ObjectKind } from '../documents.js';

/** A document as the server exports it. */
export type ExportedDocument = Record<string, unknown> & { kind: ObjectKind };

export const schemaFileName = 'organization.schema.json';

/** The schema for editors, as a file. */
export const schemaFile = (): string => `${JSON.stringify(documentJsonSchema(), null, 2)}\n`;

/** All documents in one stream. */
export const documentStream = (documents: readonly ExportedDocument[]): string =>
  documents.map((document) => yamlOf(document)).join('---\n');

const sharedFiles: Partial<Record<ObjectKind, string>> = {
  group: 'groups.yaml',
  'approval-step': 'approval-steps.yaml',
  budget: 'budgets.yaml',
};
const folders: Partial<Record<ObjectKind, string>> = {
  connection: 'connections',
  configuration: 'configurations',
  policy: 'configurations',
  client: 'clients',
};

/** The files of an export, by their path. The policies of a configuration are beside it, in a file of their own. */
export function documentFiles(documents: readonly ExportedDocument[]): Map<string, string> {
  const files = new Map<string, string>();
  const baseNames = new Map<string, string>();
  const parts = new Map<string, string[]>();
  for (const document of documents) {
    const { kind } = document;
    const folder = folders[kind];
    const name = String(kind === 'policy' ? document.configuration : document.name);
    const base = folder && `${folder}/${baseNameOf(`${folder} ${name}`, name, baseNames)}`;
    const file = sharedFiles[kind] ?? `${base}.yaml`;
    const own = parts.get(file) ?? [];
    parts.set(file, own);
    if (kind !== 'policy') own.push(yamlOf(document));
    else {
      files.set(`${base}.cedar`, String(document.text));
      own.push(yamlOf({ ...document, text: { fromFile: `${base!.split('/')[1]}.cedar` } }));
    }
  }
  for (const [file, texts] of parts) {
    const schema = file.includes('/') ? `../${schemaFileName}` : schemaFileName;
    files.set(file, `# yaml-language-server: $schema=${schema}\n${texts.join('---\n')}`);
  }
  files.set(schemaFileName, schemaFile());
  return files;
}

/** A file name for an object, the same for the same key, and no other file's on any file system. */
function baseNameOf(key: string, name: string, taken: Map<string, string>): string {
  const known = taken.get(key);
  if (known) return known;
  const plain =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'unnamed';
  const folder = key.split(' ')[0];
  const isTaken = (base: string) => [...taken].some(([other, used]) => other.startsWith(`${folder} `) && used === base);
  let base = plain;
  for (let number = 2; isTaken(base); number++) base = `${plain}-${number}`;
  taken.set(key, base);
  return base;
}

function yamlOf(value: Record<string, unknown>): string {
  const document = new Document(value);
  const text = document.get('text', true);
  if (text instanceof Scalar && typeof text.value === 'string') text.type = Scalar.BLOCK_LITERAL;
  return document.toString({ lineWidth: 0 });
}

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
  const baseNames = new BaseNames();
  const parts = new Map<string, string[]>();
  for (const document of documents) {
    const { kind } = document;
    const folder = folders[kind];
    const name = String(kind === 'policy' ? document.configuration : document.name);
    const base = folder && `${folder}/${baseNames.of(folder, name)}`;
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

/** Names that Windows reserves for devices. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** File names that are possible on any file system, and different for objects with different names. */
class BaseNames {
  private readonly byObject = new Map<string, string>();
  private readonly taken = new Set<string>();

  of(folder: string, name: string): string {
    const object = `${folder}/${name}`;
    const base = this.byObject.get(object) ?? this.unused(folder, plainName(name));
    this.byObject.set(object, base);
    this.taken.add(`${folder}/${base}`);
    return base;
  }

  private unused(folder: string, plain: string): string {
    let base = plain;
    for (let number = 2; this.taken.has(`${folder}/${base}`); number++) base = `${plain}-${number}`;
    return base;
  }
}

function plainName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return reserved.test(plain) ? `${plain}-1` : plain || 'unnamed';
}

function yamlOf(value: Record<string, unknown>): string {
  const document = new Document(value);
  const text = document.get('text', true);
  const isText = text instanceof Scalar && typeof text.value === 'string' && text.value.trim();
  if (isText) text.type = Scalar.BLOCK_LITERAL; // blank text would lose its spaces
  return document.toString({ lineWidth: 0 });
}

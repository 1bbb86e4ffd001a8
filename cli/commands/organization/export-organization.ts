import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  documentFiles,
  documentStream,
  type ExportedDocument,
} from '../../../src/organization/files/document-files.js';
import { requestGraphql } from '../../client/graphql.js';
import type { CommandContext } from '../../command-context.js';
import { plainLines, plainText } from '../../terminal/plain-text.js';

const query = `query ($withMembers: Boolean!) { organizationDocuments(withMembers: $withMembers) }`;

export async function exportOrganization(
  { output, server }: CommandContext,
  { dir, withMembers = false }: { dir?: string; withMembers?: boolean },
): Promise<void> {
  const { organizationDocuments: documents } = await requestGraphql<{ organizationDocuments: ExportedDocument[] }>(
    await server(),
    query,
    { withMembers },
  );
  if (!dir) {
    const stream = documentStream(documents).trimEnd();
    output.line(process.stdout.isTTY ? plainLines(stream) : stream); // a file gets every character as it is
    output.json(documents);
    return;
  }
  const files = documentFiles(documents);
  for (const [file, text] of files) {
    await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
    await writeFile(path.join(dir, file), text);
  }
  output.line(`${documents.length} objects written to ${files.size} files in ${plainText(dir)}.`);
  output.json({ objects: documents.length, files: [...files.keys()] });
  const stale = await staleFiles(dir, files);
  if (stale.length)
    output.note(`Not part of this export: ${stale.map(plainText).join(', ')}. Delete files of objects that are gone.`);
}

/** YAML files in the folders of the export that it did not write. */
async function staleFiles(dir: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const folders = new Set([...files.keys(), 'connections/x', 'configurations/x', 'clients/x'].map(path.posix.dirname));
  const stale: string[] = [];
  for (const folder of folders) {
    if (!(await exists(path.join(dir, folder)))) continue;
    for (const name of await readdir(path.join(dir, folder))) {
      const file = path.posix.join(folder, name);
      if (/\.(ya?ml|cedar)$/.test(name) && !files.has(file)) stale.push(file);
    }
  }
  return stale.sort();
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

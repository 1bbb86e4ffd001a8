import { constants } from 'node:fs';
import { access, mkdir, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  documentFiles,
  documentStream,
  type ExportedDocument,
} from '../../../src/organization/files/document-files.js';
import { administrationClient, requestGraphql } from '../../client/graphql.js';
import type { CommandContext } from '../../command-context.js';
import { CommandError } from '../../command-error.js';
import { exitCodes } from '../../exit-codes.js';
import { plainLines, plainText } from '../../terminal/plain-text.js';

const query = `query ($withMembers: Boolean!) { organizationDocuments(withMembers: $withMembers) }`;

export async function exportOrganization(
  context: CommandContext,
  { dir, withMembers = false }: { dir?: string; withMembers?: boolean },
): Promise<void> {
  const { output } = context;
  const { organizationDocuments: documents } = await requestGraphql<{ organizationDocuments: ExportedDocument[] }>(
    await administrationClient(context),
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
  for (const [file, text] of files) await writeInto(dir, file, text);
  output.line(`${documents.length} objects written to ${files.size} files in ${plainText(dir)}.`);
  output.json({ objects: documents.length, files: [...files.keys()] });
  const stale = await staleFiles(dir, files);
  if (stale.length)
    output.note(`Not part of this export: ${stale.map(plainText).join(', ')}. Delete files of objects that are gone.`);
}

/** Follows no link that lies in the folder: it could lead out of it. */
async function writeInto(dir: string, file: string, text: string): Promise<void> {
  const full = path.join(dir, file);
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  try {
    await mkdir(path.dirname(full), { recursive: true });
    if ((await realpath(path.dirname(full))) !== path.join(await realpath(dir), path.dirname(file)))
      throw new Error(`${path.dirname(file)} is a link that leads out of the folder`);
    const handle = await open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o666);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const message = `${full} cannot be written: ${(error as Error).message}`;
    throw new CommandError(exitCodes.failure, 'file-not-written', plainText(message));
  }
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

import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { CursorExpired, UnreadableDocument } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { tooLargeReason } from '../../platform/files/read-file-within.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { maxDocumentBytes } from '../files/document-file.js';
import { escapedPath, filePageUrl, webLayoutOf, type WebLayout } from '../files/git-remote.js';
import { formatOfFile, mediaTypeByFormat } from '../text/document-format.js';
import { RepositoryFileFilter, markedFiles } from './file-filter.js';
import { damagedCopy, GitFailure } from './git-failure.js';
import type { GitLimits, GitRepository, TreeEntry } from './git-repository.js';
import type { GitSettings } from './git-settings.js';
import { isOid, tipOf, type GitTip } from './git-tip.js';
import type { GitTransport } from './git-transport.js';

/** The repository and settings of one pass. */
export interface GitPass {
  settings: GitSettings;
  transport: GitTransport;
  repository: GitRepository;
  limits: GitLimits;
  slug: string;
}

/** The part of a pass that this module uses. A pass over several repositories gives each its own progress and cursor. */
export type GitWalkContext = Pick<DocumentsContext, 'progress' | 'checkpoint' | 'setCursor' | 'expects' | 'skipped'>;
export type GitChangesContext = GitWalkContext & Pick<ChangesContext, 'cursor'>;

/** A file whose name is that of a document. Its content may still not be readable. */
interface ListedFile {
  name: string;
  oid: string;
}

const documentsPerCheckpoint = 500;
const maxNameLength = 1000;
/** Files per fetch. The number doubles after each fetch, because the following files are probably missing as well. */
const filesPerFetch = { first: 32, most: 2000 };
const attributesFile = '.gitattributes';
const maxAttributesBytes = 256 * 1024;
const lfsPointer = Buffer.from('version https://git-lfs.github.com/spec/');
const regularModes = new Set(['100644', '100755', '100664']);

/** All documents at the tip. An interrupted walk continues at the commit at which it began. */
export async function* walkRepository(pass: GitPass, context: GitWalkContext): AsyncGenerator<SourceDocument> {
  const { settings, transport, repository, limits } = pass;
  const scope = scopeOf(settings);
  const tip = await tipOf(transport, settings.branch, limits.fetchSeconds);
  await repository.prepare(tip.commit);
  const { progress } = context;
  const isResumed =
    progress?.scope === scope && isOid(progress.commit) && (await repository.fetchCommit(progress.commit));
  const commit = isResumed ? String(progress.commit) : await repository.fetchTip(tip);
  const { filter } = await filterOf(pass, commit);
  const files: ListedFile[] = [];
  for await (const file of listedFiles(repository.files(commit), filter, context)) files.push(file);
  context.expects(files.length);
  const from = isResumed ? files.findIndex(({ name }) => name === progress.after) + 1 : 0;
  yield* documentsOf(pass, context, commit, files, from, { scope });
  // after an interrupted walk that could not continue, only another complete walk removes missing documents
  context.setCursor({ commit: progress && !isResumed ? null : commit, scope });
}

/** The differences between the commit of the cursor and the tip. Works after a force-push while both commits exist. */
export async function* repositoryChanges(
  pass: GitPass,
  context: GitChangesContext,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const { settings, transport, repository, limits } = pass;
  const { cursor, progress } = context;
  const scope = scopeOf(settings);
  if (!isOid(cursor.commit) || cursor.scope !== scope)
    throw new CursorExpired('The repository or its filters changed.');
  const tip = await tipOf(transport, settings.branch, limits.fetchSeconds);
  if (tip.commit === cursor.commit) return context.setCursor(cursor);
  if (tip.commit.length !== cursor.commit.length) throw new CursorExpired('The repository was replaced.');
  await repository.prepare(tip.commit);
  if (!(await repository.fetchCommit(cursor.commit)))
    throw new CursorExpired('The host no longer has the last commit.');
  const commit = await fetchTipFor(repository, tip, progress);
  const { filter, attributes } = await filterOf(pass, commit);
  if ((await findAttributes(pass, cursor.commit)) !== attributes)
    throw new CursorExpired(`${attributesFile} changed, which can affect every file.`);
  const changed: ListedFile[] = [];
  for await (const change of repository.changes(cursor.commit, commit)) {
    const name = nameOf(change.name);
    if (name === null || !(await filter.accepts(name))) continue;
    if (!isStorable(name)) context.skipped(name, longName);
    else if (change.isRemoved || !regularModes.has(change.mode)) yield { removed: name };
    else changed.push({ name, oid: change.oid });
  }
  context.expects(changed.length);
  const updatedAt = await repository.dateOf(commit);
  const from = progress?.commit === commit ? changed.findIndex(({ name }) => name === progress.after) + 1 : 0;
  yield* documentsOf(pass, context, commit, changed, from, { scope, updatedAt });
  context.setCursor({ commit, scope });
}

/** The commit of an interrupted pass, so that it continues there; otherwise the tip. */
async function fetchTipFor(repository: GitRepository, tip: GitTip, progress: JsonObject | null): Promise<string> {
  const begun = progress?.commit;
  return isOid(begun) && (await repository.fetchCommit(begun)) ? begun : repository.fetchTip(tip);
}

const findAttributes = async ({ settings, repository }: GitPass, commit: string): Promise<string | null> =>
  settings.usesAttributes ? repository.oidOf(commit, attributesFile) : null;

async function filterOf(pass: GitPass, commit: string) {
  const { settings, repository } = pass;
  const attributes = await findAttributes(pass, commit);
  const marked = attributes ? await attributesOf(repository, attributes) : '';
  return { attributes, filter: new RepositoryFileFilter(settings.include, settings.exclude, markedFiles(marked)) };
}

/** Attributes above the limit of size mark no files. */
async function attributesOf(repository: GitRepository, oid: string): Promise<string> {
  try {
    return (await contentOf(repository, oid, maxAttributesBytes, () => [oid])).toString();
  } catch (error) {
    if (error instanceof UnreadableDocument) return '';
    throw error;
  }
}

async function* listedFiles(
  entries: AsyncIterable<TreeEntry>,
  filter: RepositoryFileFilter,
  context: Pick<DocumentsContext, 'skipped'>,
): AsyncGenerator<ListedFile> {
  for await (const entry of entries) {
    if (!regularModes.has(entry.mode)) continue; // links and submodules
    const name = nameOf(entry.name);
    if (name === null) context.skipped(printable(entry.name), 'has a name that is not UTF-8');
    else if (await filter.accepts(name)) {
      if (isStorable(name)) yield { name, oid: entry.oid };
      else context.skipped(name, longName);
    }
  }
}

async function* documentsOf(
  pass: GitPass,
  context: Pick<DocumentsContext, 'checkpoint'>,
  commit: string,
  files: readonly ListedFile[],
  from: number,
  { scope, updatedAt }: { scope: string; updatedAt?: Date },
): AsyncGenerator<SourceDocument> {
  const { repository, settings } = pass;
  const web = webOf(pass);
  const urlOf = (name: string) =>
    web ? filePageUrl(web.page, web.layout, commit, name) : `git:/${pass.slug}/${escapedPath(name)}`;
  let window = filesPerFetch.first;
  for (let index = from; index < files.length; index++) {
    const { name, oid } = files[index];
    const format = formatOfFile(name)!;
    const upcoming = () => {
      const oids = files.slice(index, index + window).map((file) => file.oid);
      window = Math.min(window * 2, filesPerFetch.most);
      return oids;
    };
    yield {
      externalId: name,
      kind: format === 'code' ? 'code' : 'doc',
      title: path.posix.basename(name),
      container: settings.address.repository,
      position: name,
      url: urlOf(name),
      isUrlPinned: true,
      updatedAt,
      mediaType: mediaTypeByFormat[format],
      content: () =>
        contentOf(repository, oid, maxDocumentBytes[format], upcoming).catch(async (error: unknown) => {
          await repository.markIfDamaged(error);
          throw error;
        }),
      fingerprint: web ? `${oid} ${web.layout} ${web.page}` : oid,
    };
    // after the last document, too: the pass holds the lock until every content is read
    if ((index + 1 - from) % documentsPerCheckpoint === 0 || index === files.length - 1)
      await context.checkpoint({ commit, scope, after: name });
  }
}

/** `upcoming`: the files to fetch together with this one, if it is missing. The first is this file. */
async function contentOf(
  repository: GitRepository,
  oid: string,
  maxBytes: number,
  upcoming: () => string[],
): Promise<Buffer> {
  if (repository.isTooLarge(oid)) throw new UnreadableDocument('is too large');
  const size = (await repository.blobs.sizeOf(oid)) ?? (await fetchMissing(repository, oid, upcoming));
  if (size > maxBytes) throw new UnreadableDocument(tooLargeReason(size, maxBytes));
  const bytes = await repository.blobs.read(oid);
  if (!bytes) throw damagedCopy();
  if (bytes.length < 1024 && bytes.subarray(0, lfsPointer.length).equals(lfsPointer))
    throw new UnreadableDocument('is stored in Git LFS, which is not supported');
  return bytes;
}

async function fetchMissing(repository: GitRepository, oid: string, upcoming: () => string[]): Promise<number> {
  await repository.fetchFilesIfMissing(oid, upcoming);
  const size = await repository.blobs.sizeOf(oid);
  if (size !== null) return size;
  throw repository.isTooLarge(oid)
    ? new UnreadableDocument('is too large')
    : new GitFailure('object-missing', 'The host did not send a file that its listing contains.');
}

/** The web pages of the repository. Null if the software of the host is unknown. */
function webOf({ settings }: GitPass): { layout: WebLayout; page: string } | null {
  const { address, webLinks, webAddress } = settings;
  const layout = webLinks ?? webLayoutOf(address.host);
  if (!layout || layout === 'none') return null;
  const page = webAddress ?? `https://${address.host}/${escapedPath(address.repository)}`;
  return { layout, page: trimTrailing(page, '/') };
}

/** Identifies the repository and its filters. Progress and cursors of another scope do not apply. */
const scopeOf = ({ address, branch, include, exclude }: GitSettings): string =>
  sha256(JSON.stringify([address.url, branch, include, exclude]))
    .toString('base64url')
    .slice(0, 16);

/** A checkpoint contains the name of a file. */
const isStorable = (name: string): boolean => name.length <= maxNameLength;
const longName = `has a name of more than ${maxNameLength} characters`;

const nameOf = (bytes: Buffer): string | null => (isUtf8(bytes) ? bytes.toString() : null);

const printable = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

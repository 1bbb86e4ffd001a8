import path from 'node:path';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { isGeneratedFile } from '../files/document-file.js';
import { formatOfFile, mediaTypeByFormat, type DocumentFormat } from '../text/document-format.js';

/** A readable file of a commit. */
export interface RepositoryFile {
  path: string;
  /** The digest of its content. */
  blob: string;
  format: DocumentFormat;
}

/** The mode of symbolic links. */
const link = '120000';

/** Null for entries of a tree that are not read. */
export const readableFormat = (entry: { path: string; type: string; mode: string }): DocumentFormat | null =>
  entry.type === 'blob' && entry.mode !== link && !isGeneratedFile(entry.path) ? formatOfFile(entry.path) : null;

export const sortedByPath = <F extends RepositoryFile>(files: readonly F[]): F[] =>
  files.toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** The files of a commit that are new or different since an earlier one, and the paths of those that are gone. */
export function changedFiles<F extends RepositoryFile>(
  before: readonly F[],
  after: readonly F[],
): { changed: F[]; removed: string[] } {
  const blobs = new Map(before.map(({ path: name, blob }) => [name, blob]));
  const present = new Set(after.map(({ path: name }) => name));
  return {
    changed: after.filter(({ path: name, blob }) => blobs.get(name) !== blob),
    removed: before.flatMap(({ path: name }) => (present.has(name) ? [] : [name])),
  };
}

export interface RepositoryFilePlace extends Pick<SourceDocument, 'externalId' | 'audience'> {
  /** The address of the folder of the commit, so that a citation shows the text that was indexed. */
  commitUrl: string;
  /** The path of the repository. */
  container: string;
}

export function repositoryFileDocument(
  { path: name, blob, format }: RepositoryFile,
  { externalId, audience, commitUrl, container }: RepositoryFilePlace,
  content: SourceDocument['content'],
): SourceDocument {
  return {
    externalId,
    kind: format === 'code' ? 'code' : 'doc',
    title: path.posix.basename(name),
    url: `${commitUrl}/${name.split('/').map(encodeURIComponent).join('/')}`,
    isUrlPinned: true,
    container,
    position: name,
    mediaType: mediaTypeByFormat[format],
    content,
    audience,
    fingerprint: JSON.stringify([blob, container]),
  };
}

const lfsPointer = 'version https://git-lfs.github.com/spec/';

/** Throws for files that are not text, and for pointers to Git LFS. */
export function refuseUnreadableFile(text: string | Buffer): void {
  if (text.length < 1024 && text.toString().startsWith(lfsPointer))
    throw new UnreadableDocument('is stored with Git LFS');
  if (typeof text !== 'string' && text.subarray(0, 8000).includes(0)) throw new UnreadableDocument('is a binary file');
}

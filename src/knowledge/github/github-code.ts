import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { maxDocumentBytes } from '../files/document-file.js';
import {
  readableFormat,
  refuseUnreadableFile,
  repositoryFileDocument,
  sortedByPath,
  type RepositoryFile,
} from '../source-kit/repository-files.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GithubApi } from './github-api.js';
import type { GithubRepositoryInfo } from './github-repositories.js';
import { githubAudienceId } from './github-site.js';

/** Larger than the largest file, because the API encodes blobs in base64. */
const maxBlobBytes = 30 * 2 ** 20;

export interface GithubHead {
  commit: string;
  tree: string;
}

/** The latest commit of the default branch. Null for an empty repository. */
export async function findGithubHead(
  api: GithubApi,
  { id, default_branch }: GithubRepositoryInfo,
): Promise<GithubHead | null> {
  const schema = z.object({ sha: z.string(), commit: z.object({ tree: z.object({ sha: z.string() }) }) });
  try {
    const { sha, commit } = await api.rest.get(
      `/repositories/${id}/commits/${encodeURIComponent(default_branch)}`,
      schema,
    );
    return { commit: sha, tree: commit.tree.sha };
  } catch (error) {
    if (isSourceFault(error, 'refused') && error.status === 409) return null;
    throw error;
  }
}

export interface GithubFile extends RepositoryFile {
  size: number;
}

const tree = z.object({
  truncated: z.boolean(),
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string(), size: z.number().optional() }),
  ),
});
type TreeEntry = z.output<typeof tree>['tree'][number];

/**
 * The readable files of a tree, sorted by path. If GitHub truncates the recursive list, or the response is too large, the
 * tree is read folder by folder: files missing from an incomplete list would be removed from the index.
 */
export async function listGithubFiles(api: GithubApi, repositoryId: number, sha: string): Promise<GithubFile[]> {
  const files: GithubFile[] = [];
  for await (const entry of treeEntries(api, repositoryId, sha, '')) {
    const format = readableFormat(entry);
    if (format) files.push({ path: entry.path, blob: entry.sha, size: entry.size ?? 0, format });
  }
  return sortedByPath(files);
}

/** Null if GitHub no longer has the tree. It deletes unreachable trees some time after a force push. */
export async function findGithubFiles(api: GithubApi, repositoryId: number, sha: string): Promise<GithubFile[] | null> {
  try {
    return await listGithubFiles(api, repositoryId, sha);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

async function* treeEntries(
  api: GithubApi,
  repositoryId: number,
  sha: string,
  prefix: string,
): AsyncGenerator<TreeEntry> {
  const address = `/repositories/${repositoryId}/git/trees/${sha}`;
  const whole = await api.rest.get(address, tree, { recursive: 1 }).catch((error: unknown) => {
    if (isSourceFault(error, 'too-large')) return null;
    throw error;
  });
  if (whole && !whole.truncated) {
    for (const entry of whole.tree) yield { ...entry, path: prefix + entry.path };
    return;
  }
  const folder = await api.rest.get(address, tree);
  if (folder.truncated) throw new Error(`GitHub does not list all files of ${prefix || 'the repository'}.`);
  for (const entry of folder.tree)
    if (entry.type === 'tree') yield* treeEntries(api, repositoryId, entry.sha, `${prefix}${entry.path}/`);
    else yield { ...entry, path: prefix + entry.path };
}

export const githubFileDocumentId = (repositoryId: number, name: string): string =>
  `repositories/${repositoryId}/code/${name}`;

/** Files of one commit as documents. */
export class GithubFiles {
  private readonly loader: BatchLoader<GithubFile, string | null>;

  constructor(
    private readonly api: GithubApi,
    private readonly repository: GithubRepositoryInfo,
    private readonly head: GithubHead,
  ) {
    const options = { size: 40, bytesOf: ({ size }: GithubFile) => size * 1.1 + 200, maxBytes: 4 * 2 ** 20 };
    this.loader = new BatchLoader((files) => this.loadTexts(files), options);
  }

  documents(files: readonly GithubFile[], skipped: (externalId: string, reason: string) => void): SourceDocument[] {
    const readable = files.filter((file) => {
      const isSmall = file.size <= maxDocumentBytes[file.format] && file.path.length <= 900;
      if (!isSmall) skipped(githubFileDocumentId(this.repository.id, file.path), 'is too large to be read');
      return isSmall;
    });
    const texts = this.loader.page(readable.filter(({ format }) => format !== 'pdf'));
    let at = 0;
    return readable.map((file) => {
      const text = file.format === 'pdf' ? null : texts[at++];
      return this.document(file, () => (text ? this.textOf(file, text) : this.blob(file)));
    });
  }

  private document(file: GithubFile, content: () => Promise<string | Uint8Array>): SourceDocument {
    const { id, full_name: container } = this.repository;
    const { site } = this.api;
    const place = {
      externalId: githubFileDocumentId(id, file.path),
      audience: githubAudienceId(site, id),
      commitUrl: `${site.webUrl}/${container}/blob/${this.head.commit}`,
      container,
    };
    return repositoryFileDocument(file, place, content);
  }

  private async textOf(file: GithubFile, load: () => Promise<string | null>): Promise<string | Buffer> {
    const text = (await load()) ?? (await this.blob(file));
    refuseUnreadableFile(text);
    return text;
  }

  private async blob({ blob }: GithubFile): Promise<Buffer> {
    const schema = z.object({ encoding: z.literal('base64'), content: z.string() });
    const { body } = await this.api.rest.request({
      path: `/repositories/${this.repository.id}/git/blobs/${blob}`,
      schema,
      maxBytes: maxBlobBytes,
    });
    return Buffer.from(body.content, 'base64');
  }

  /** Null for files that GraphQL does not return as text. They are loaded one by one over REST. */
  private async loadTexts(files: GithubFile[]): Promise<(string | null)[]> {
    const blob = z.object({ text: z.string().nullish(), isTruncated: z.boolean(), isBinary: z.boolean().nullish() });
    const data = z.object({ node: z.record(z.string(), blob.nullable()).nullable() });
    const fields = files.map((_, at) => `f${at}: object(oid: $o${at}) { ... on Blob { text isTruncated isBinary } }`);
    const parameters = files.map((_, at) => `$o${at}: GitObjectID!`).join(', ');
    const query = `query($id: ID!, ${parameters}) { node(id: $id) { ... on Repository { ${fields.join(' ')} } } }`;
    const oids = Object.fromEntries(files.map(({ blob: oid }, at) => [`o${at}`, oid]));
    const { node } = await this.api.query(query, { id: this.repository.node_id, ...oids }, data, true);
    return files.map((_, at) => {
      const found = node?.[`f${at}`];
      return found && !found.isTruncated && !found.isBinary ? (found.text ?? null) : null;
    });
  }
}

import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { maxDocumentBytes } from '../files/document-file.js';
import {
  readableFormat,
  refuseUnreadableFile,
  repositoryFileDocument,
  sortedByPath,
  type RepositoryFile,
} from '../source-kit/repository-files.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabProject } from './gitlab-projects.js';
import { gitlabAudienceId } from './gitlab-site.js';

/** Larger than the largest file, because the API encodes files in base64. */
const maxBlobBytes = 30 * 2 ** 20;
const concurrentFiles = 4;

/** The latest commit of the default branch. Null for an empty repository. */
export async function findGitlabCommit(
  api: GitlabApi,
  { id, default_branch: branch }: GitlabProject,
): Promise<string | null> {
  if (!branch) return null;
  const schema = z.object({ id: z.string().regex(/^[\da-f]{40,64}$/) });
  const address = `/projects/${id}/repository/commits/${encodeURIComponent(branch)}`;
  return (await api.rest.get(address, schema)).id;
}

const treeEntry = z.object({
  id: z.string().regex(/^[\da-f]{40,64}$/),
  path: z.string(),
  type: z.string(),
  mode: z.string(),
});

/** The readable files of a commit, sorted by path. */
export async function listGitlabFiles(api: GitlabApi, projectId: number, commit: string): Promise<RepositoryFile[]> {
  const files: RepositoryFile[] = [];
  const address = `/projects/${projectId}/repository/tree`;
  const query = { recursive: true, pagination: 'keyset', per_page: 100, ref: commit };
  for await (const { items } of pagesByLink(api.rest, { path: address, item: treeEntry, query }))
    for (const entry of items) {
      const format = readableFormat(entry);
      if (format) files.push({ path: entry.path, blob: entry.id, format });
    }
  return sortedByPath(files);
}

/** Null if GitLab no longer has the commit. It deletes unreachable commits some time after a force push. */
export async function findGitlabFiles(
  api: GitlabApi,
  projectId: number,
  commit: string,
): Promise<RepositoryFile[] | null> {
  try {
    return await listGitlabFiles(api, projectId, commit);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

export const gitlabFileDocumentId = (projectId: number, name: string): string => `projects/${projectId}/code/${name}`;

/** Files of one commit as documents. */
export class GitlabFiles {
  private readonly loader: BatchLoader<RepositoryFile, Buffer>;

  constructor(
    private readonly api: GitlabApi,
    private readonly project: GitlabProject,
    private readonly commit: string,
  ) {
    this.loader = new BatchLoader((files) => Array.fromAsync(mapConcurrently(files, concurrentFiles, this.load)), {
      size: concurrentFiles,
    });
  }

  documents(files: readonly RepositoryFile[], skipped: (externalId: string, reason: string) => void): SourceDocument[] {
    const readable = files.filter((file) => {
      const isShort = file.path.length <= 900;
      if (!isShort) skipped(gitlabFileDocumentId(this.project.id, file.path.slice(0, 900)), 'has too long a path');
      return isShort;
    });
    const contents = this.loader.page(readable);
    return readable.map((file, at) => this.document(file, () => this.contentOf(file, contents[at])));
  }

  private document(file: RepositoryFile, content: () => Promise<Buffer>): SourceDocument {
    const { id, path_with_namespace: container } = this.project;
    const { site } = this.api;
    const place = {
      externalId: gitlabFileDocumentId(id, file.path),
      audience: gitlabAudienceId(site, id, 'code'),
      commitUrl: `${site.webUrl}/${container}/-/blob/${this.commit}`,
      container,
    };
    return repositoryFileDocument(file, place, content);
  }

  private async contentOf({ format }: RepositoryFile, load: () => Promise<Buffer>): Promise<Buffer> {
    const bytes = await load();
    if (bytes.length > maxDocumentBytes[format]) throw new UnreadableDocument('is too large to be read');
    if (format !== 'pdf') refuseUnreadableFile(bytes);
    return bytes;
  }

  private readonly load = async ({ blob }: RepositoryFile): Promise<Buffer> => {
    const schema = z.object({ encoding: z.literal('base64'), content: z.string() });
    const address = `/projects/${this.project.id}/repository/blobs/${blob}`;
    const { body } = await this.api.rest.request({ path: address, schema, bucket: 'files', maxBytes: maxBlobBytes });
    return Buffer.from(body.content, 'base64');
  };
}

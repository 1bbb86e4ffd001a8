import path from 'node:path';
import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { loadConcurrently } from '../source-kit/map-concurrently.js';
import {
  isGeneratedRepositoryFile,
  maxRepositoryFileBytes,
  refuseUnreadableFile,
} from '../source-kit/repository-files.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { formatOfFile, mediaTypeByFormat, type DocumentFormat } from '../text/document-format.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabProject } from './gitlab-projects.js';
import { gitlabAudienceId } from './gitlab-site.js';

/** Larger than the largest file, because the API encodes files in base64. */
const maxBlobBytes = 30 * 2 ** 20;
const links = '120000';
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

export interface GitlabFile {
  path: string;
  blob: string;
  format: DocumentFormat;
}

const treeEntry = z.object({
  id: z.string().regex(/^[\da-f]{40,64}$/),
  path: z.string(),
  type: z.string(),
  mode: z.string(),
});

/** The readable files of a commit, sorted by path. */
export async function listGitlabFiles(api: GitlabApi, projectId: number, commit: string): Promise<GitlabFile[]> {
  const files: GitlabFile[] = [];
  const address = `/projects/${projectId}/repository/tree`;
  const query = { recursive: true, pagination: 'keyset', per_page: 100, ref: commit };
  for await (const { items } of pagesByLink(api.rest, { path: address, item: treeEntry, query }))
    for (const { id: blob, path: name, type, mode } of items) {
      const format = type === 'blob' && mode !== links ? formatOfFile(name) : null;
      if (format && !isGeneratedRepositoryFile(name)) files.push({ path: name, blob, format });
    }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Null if GitLab no longer has the commit. It deletes unreachable commits some time after a force push. */
export async function findGitlabFiles(api: GitlabApi, projectId: number, commit: string): Promise<GitlabFile[] | null> {
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
  private readonly loader: BatchLoader<GitlabFile, Uint8Array>;

  constructor(
    private readonly api: GitlabApi,
    private readonly project: GitlabProject,
    private readonly commit: string,
  ) {
    this.loader = new BatchLoader((files) => loadConcurrently(files, concurrentFiles, this.load), {
      size: concurrentFiles,
    });
  }

  documents(files: readonly GitlabFile[], skipped: (externalId: string, reason: string) => void): SourceDocument[] {
    const readable = files.filter((file) => {
      const isShort = file.path.length <= 900;
      if (!isShort) skipped(gitlabFileDocumentId(this.project.id, file.path.slice(0, 900)), 'has too long a path');
      return isShort;
    });
    const contents = this.loader.page(readable);
    return readable.map((file, at) => this.document(file, () => this.contentOf(file, contents[at])));
  }

  private document({ path: name, blob, format }: GitlabFile, content: () => Promise<Uint8Array>): SourceDocument {
    const { id, path_with_namespace: container } = this.project;
    const { site } = this.api;
    const address = name.split('/').map(encodeURIComponent).join('/');
    return {
      externalId: gitlabFileDocumentId(id, name),
      kind: format === 'code' ? 'code' : 'doc',
      title: path.posix.basename(name),
      // pinned to the commit, so that a citation shows the text that was indexed
      url: `${site.webUrl}/${container}/-/blob/${this.commit}/${address}`,
      isUrlPinned: true,
      container,
      position: name,
      mediaType: mediaTypeByFormat[format],
      content,
      audience: gitlabAudienceId(site, id, 'code'),
      fingerprint: JSON.stringify([blob, container]),
    };
  }

  private async contentOf({ format }: GitlabFile, load: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = await load();
    if (bytes.length > maxRepositoryFileBytes[format]) throw new UnreadableDocument('is too large to be read');
    if (format !== 'pdf') refuseUnreadableFile(Buffer.from(bytes));
    return bytes;
  }

  private readonly load = async ({ blob }: GitlabFile): Promise<Uint8Array> => {
    const schema = z.object({ encoding: z.literal('base64'), content: z.string() });
    const address = `/projects/${this.project.id}/repository/blobs/${blob}`;
    const { body } = await this.api.rest.request({ path: address, schema, bucket: 'files', maxBytes: maxBlobBytes });
    return Buffer.from(body.content, 'base64');
  };
}

import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { readFileWithin, tooLargeReason } from '../../platform/files/read-file-within.js';
import { readFailureReason } from '../../platform/files/read-failure-reason.js';
import { FolderNotAllowed, resolveFolder } from '../../platform/files/allowed-folder.js';
import { UnreadableFile } from '../../platform/files/unreadable-file.js';
import { walkFolder } from '../../platform/files/walk-folder.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { Connector } from '../../connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { isGeneratedFile, maxDocumentBytes } from '../files/document-file.js';
import { escapedPath, webUrlOf } from '../files/git-remote.js';
import { mediaTypeByFormat, formatOfFile } from '../text/document-format.js';

/** A folder or a git checkout on the server's disk, below a root that the operator allows. */
export const folderConnector = (allowedRoots: readonly string[]): Connector => ({
  id: 'folder',
  title: 'Folder or git checkout',
  about: 'Documents and source code on the server’s disk.',
  setUp:
    'Reads Markdown, text, HTML, PDF and source code from a folder on the server. The operator lists the allowed folders ' +
    'in FOLDER_ROOTS; all other folders are rejected. Hidden files and files in .gitignore are skipped, and links are not followed. ' +
    'A git checkout is not pulled automatically: schedule git pull yourself.',
  fields: [
    {
      name: 'path',
      label: 'Folder',
      type: 'text',
      required: true,
      isTarget: true,
      help: 'Absolute path on the server, for example /srv/handbook.',
    },
    {
      name: 'address',
      label: 'Web address',
      type: 'url',
      required: false,
      help: 'Base URL of the same files on the web; the path of each file is appended. Detected automatically for checkouts from GitHub, GitLab and Codeberg.',
    },
    {
      name: 'groups',
      label: 'Only for groups',
      type: 'list',
      required: false,
      help: 'Names of groups that may read these documents. Leave empty for everyone who may use a configuration with this connection.',
    },
  ],
  offers: ['knowledge'],
  pullCadence: '5m',
  verify: async ({ settings, signal }) => {
    try {
      const root = await resolveFolder(String(settings.path ?? ''), allowedRoots);
      for await (const name of walkFolder({ root, signal, onSkipped: () => undefined }))
        if (formatOfFile(name)) return { status: 'connected' };
      return {
        status: 'limited',
        reason: 'The folder contains no Markdown, text, HTML, PDF or source code.',
      };
    } catch (error) {
      if (error instanceof FolderNotAllowed) return { status: 'failed', reason: error.message };
      return { status: 'failed', reason: `The folder ${readFailureReason(error)}.` };
    }
  },
  documents: (context) => documents(context, allowedRoots),
});

async function* documents(context: DocumentsContext, allowedRoots: readonly string[]): AsyncGenerator<SourceDocument> {
  const { settings, connection, signal, skipped } = context;
  const root = await resolveFolder(String(settings.path ?? ''), allowedRoots);
  const address =
    typeof settings.address === 'string' && settings.address
      ? trimTrailing(settings.address, '/')
      : await webUrlOf(root);
  for await (const name of walkFolder({ root, signal, onSkipped: skipped })) {
    const reader = formatOfFile(name);
    if (!reader || isGeneratedFile(name)) continue;
    const stats = await lstat(path.join(root, name), { bigint: true }).catch((error: unknown) =>
      skipped(name, readFailureReason(error)),
    );
    if (!stats) continue;
    if (stats.size > maxDocumentBytes[reader]) {
      skipped(name, tooLargeReason(stats.size, maxDocumentBytes[reader]));
      continue;
    }
    yield {
      externalId: name,
      kind: reader === 'code' ? 'code' : 'doc',
      title: path.posix.basename(name),
      url: `${address ?? `folder:/${connection.slug}`}/${escapedPath(name)}`,
      updatedAt: stats.mtime,
      mediaType: mediaTypeByFormat[reader],
      content: () => readFileWithin(root, name, maxDocumentBytes[reader]).catch(refuseUnreadable),
      fingerprint: [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join('-'),
    };
  }
}

function refuseUnreadable(error: unknown): never {
  throw error instanceof UnreadableFile ? new UnreadableDocument(error.message) : error;
}

import { UnreadableDocument } from '../../connections/connections.error.js';
import type { DocumentFormat } from '../text/document-format.js';

const mib = 2 ** 20;
export const maxRepositoryFileBytes: Record<DocumentFormat, number> = {
  markdown: 2 * mib,
  text: 2 * mib,
  html: 4 * mib,
  code: mib,
  pdf: 20 * mib,
};

const generated = /\.min\.(js|css)$|(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml)$/;
export const isGeneratedRepositoryFile = (path: string): boolean => generated.test(path);

const lfsPointer = 'version https://git-lfs.github.com/spec/';

/** Throws for files that are not text, and for pointers to Git LFS. */
export function refuseUnreadableFile(text: string | Uint8Array): void {
  if (text.length < 1024 && text.toString().startsWith(lfsPointer))
    throw new UnreadableDocument('is stored with Git LFS');
  if (typeof text !== 'string' && text.subarray(0, 8000).includes(0)) throw new UnreadableDocument('is a binary file');
}

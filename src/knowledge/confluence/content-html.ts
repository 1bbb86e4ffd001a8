import { escapeHtml, storageToHtml } from './storage-html.js';

export interface ThreadComment {
  author: string | null;
  at: string;
  storage: string;
}

/**
 * Combines a page and its comments into one HTML document. Headings in the texts become deeper ones, so that a comment
 * cannot end its own section.
 */
export function contentHtml(title: string, storage: string, comments: readonly ThreadComment[]): string {
  const sections = comments.map(({ author, at, storage: text }) => {
    const day = Number.isNaN(Date.parse(at)) ? '' : `, ${new Date(at).toISOString().slice(0, 10)}`;
    return `<h2>${escapeHtml(`Comment by ${author || 'a deleted account'}${day}`)}</h2>${lowered(storageToHtml(text), 2)}`;
  });
  return [`<h1>${escapeHtml(title)}</h1>`, lowered(storageToHtml(storage), 1), ...sections].join('\n');
}

const lowered = (html: string, levels: number): string =>
  html.replace(
    /<(\/?)h([1-6])>/g,
    (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + levels)}>`,
  );

import type { SourceLocation } from '../text/block.js';

/** Pages of files at a commit, by their path. On pages of a branch, line numbers become wrong when the file changes. */
const pages: readonly { path: RegExp; source: string; anchor(from: number, to: number): string }[] = [
  {
    path: /\/-\/blob\/[\da-f]{40,64}\//, // GitLab
    source: '?plain=1',
    anchor: (from, to) => (from === to ? `L${from}` : `L${from}-${to}`),
  },
  {
    path: /^\/[^/]+\/[^/]+\/blob\/[\da-f]{40,64}\//, // GitHub
    source: '?plain=1',
    anchor: (from, to) => (from === to ? `L${from}` : `L${from}-L${to}`),
  },
  {
    path: /\/src\/commit\/[\da-f]{40,64}\//, // Gitea, Forgejo
    source: '?display=source',
    anchor: (from, to) => (from === to ? `L${from}` : `L${from}-L${to}`),
  },
  {
    path: /^\/[^/]+\/[^/]+\/src\/[\da-f]{40,64}\//, // Bitbucket
    source: '',
    anchor: (from, to) => (from === to ? `lines-${from}` : `lines-${from}:${to}`),
  },
];
/** Hosts render these files without line numbers unless the URL requests the source. */
const rendered = /\.(md|markdown|mdx|mkd|adoc|asciidoc|rst|org)$/i;

/** The URL of the lines of a passage if the page supports it; otherwise the URL of the document. */
export function lineUrlOf(url: string | null, { unit, from, to }: SourceLocation): string | null {
  if (!url || unit !== 'line' || !URL.canParse(url)) return url;
  const { pathname, search, hash } = new URL(url);
  const page = search || hash ? undefined : pages.find(({ path }) => path.test(pathname));
  return page ? `${url}${rendered.test(pathname) ? page.source : ''}#${page.anchor(from, to)}` : url;
}

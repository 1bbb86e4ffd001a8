/** What a text calls another document: the key of a ticket, or the addresses that it may have. */
export type DocumentReference = { key: string } | { urls: string[] };

interface ReferringText {
  title: string;
  text: string;
  /** The page of the document, to resolve numbers such as #12. */
  url: string | null;
  container: string | null;
}

const address = /https?:\/\/[^\s<>"'`()[\]{}|\\]{1,500}/g;
const closingMarks = /[.,;:!?*_~]+$/;
const ticketKey = /(?<![\w-])[A-Z][A-Z0-9_]{1,19}-\d{1,9}(?![\w-])/g;
/** "#12", "!12" of GitLab, and both with the path of a repository before them. */
const numberedThread = /(?<![\w/&.-])((?:[\w.-]{1,100}\/){1,20}[\w.-]{1,100})?([#!])(\d{1,9})(?!\w)/g;
/** The page of a repository, followed by that of a thread. */
const threadOfGithub = /^(https?:\/\/.+)\/(?:issues|pull|discussions)\/\d+$/;
const threadOfGitlab = /^(https?:\/\/.+)\/-\/(?:issues|merge_requests)\/\d+$/;

/** In the order of the text, without repetitions. */
export function referencesIn(document: ReferringText): DocumentReference[] {
  const text = `${document.title}\n${document.text}`;
  const found = [
    ...[...text.matchAll(address)].map(({ 0: match, index }) => ({ index, reference: { urls: urlsOf(match) } })),
    ...[...text.matchAll(ticketKey)].map(({ 0: key, index }) => ({ index, reference: { key } })),
    ...threadsIn(text, document),
  ];
  const sorted = found.sort((one, other) => one.index - other.index).map(({ reference }) => reference);
  return [...new Map(sorted.map((reference) => [JSON.stringify(reference), reference])).values()];
}

/** A link may also name a place in the page, or have parameters. */
function urlsOf(link: string): string[] {
  const [page] = link.replace(closingMarks, '').split('#');
  const [path] = page.split('?');
  return [...new Set([page, path, path.replace(/\/$/, '')])];
}

function threadsIn(text: string, { url, container }: ReferringText) {
  const gitlab = threadOfGitlab.exec(url ?? '')?.[1];
  const repository = gitlab ?? threadOfGithub.exec(url ?? '')?.[1];
  if (!repository || !container || !repository.endsWith(`/${container}`)) return [];
  const site = repository.slice(0, -container.length);
  const kinds: Record<string, string[]> = gitlab
    ? { '#': ['-/issues'], '!': ['-/merge_requests'] }
    : { '#': ['issues', 'pull', 'discussions'] };
  return [...text.matchAll(numberedThread)]
    .filter(({ 2: mark }) => mark in kinds)
    .map(({ index, 1: path = container, 2: mark, 3: number }) => ({
      index,
      reference: { urls: kinds[mark].map((kind) => `${site}${path}/${kind}/${number}`) },
    }));
}

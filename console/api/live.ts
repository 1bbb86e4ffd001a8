import { useEffect, useRef, useSyncExternalStore } from 'react';
import { fetchSignedIn } from './session.ts';

/*
 * One stream of news for the whole console (GET /console/events): kinds and ids, never content. Whoever shows something of
 * a kind asks again when there is news of it, and after the stream was interrupted.
 */

export const kinds = [
  'approval',
  'task',
  'call',
  'connection',
  'configuration',
  'policy',
  'source',
  'spend',
  'estate',
  'client',
  'organization',
] as const;
export type Kind = (typeof kinds)[number];

interface News {
  kind: Kind;
  id: string | null;
}

/** News that come in together are looked at together, and under a flood of them once a second. */
const gatherMs = 250;
const betweenMs = 1000;
/** A stream comes to an end now and then, and is there again before anybody has to know. */
const patienceMs = 2500;
/** After a refusal; longer each time that there is another, and not for all consoles at once. */
const retryMs = 3000;
const mostRetryMs = 20_000;

type Hearer = (news: News | 'all') => void;
const hearers = new Set<Hearer>();
const watchers = new Set<() => void>();
let hasStarted = false;
let source: EventSource | undefined;
let isConnected = true;
let wasInterrupted = false;
let doubt: ReturnType<typeof setTimeout> | undefined;
let refusals = 0;

function start(): void {
  if (hasStarted) return;
  hasStarted = true;
  open();
  // a browser keeps few connections to one server: tabs that nobody looks at leave them to the others
  document.addEventListener('visibilitychange', () => (document.hidden ? rest() : open()));
  window.addEventListener('online', open);
}

function open(): void {
  if (source || document.hidden) return;
  source = new EventSource('/console/events');
  for (const kind of kinds)
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const { id } = JSON.parse(data) as { id: string | null };
      for (const hear of hearers) hear({ kind, id });
    });
  source.onopen = () => {
    connected(true);
    refusals = 0;
    if (wasInterrupted) for (const hear of hearers) hear('all');
    wasInterrupted = false;
  };
  source.onerror = () => {
    wasInterrupted = true;
    // a stream that was refused is not tried again by the browser
    if (source?.readyState === EventSource.CLOSED) void refused();
    else doubt ??= setTimeout(() => connected(false), patienceMs);
  };
}

function rest(): void {
  source?.close();
  source = undefined;
  wasInterrupted = true;
  clearTimeout(doubt);
  doubt = undefined;
}

/** The session is over, and this goes on once it is back; or somebody else answers for a server that is gone. */
async function refused(): Promise<void> {
  rest();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ me { freshAt } }"}',
  };
  const isThere = await fetchSignedIn('/graphql', init).then(
    ({ ok }) => ok,
    () => false, // it is not there
  );
  connected(isThere);
  const wait = Math.min(retryMs * 2 ** refusals++, mostRetryMs);
  setTimeout(open, wait * (0.5 + Math.random() / 2));
}

function connected(now: boolean): void {
  clearTimeout(doubt);
  doubt = undefined;
  if (isConnected === now) return;
  isConnected = now;
  for (const watch of watchers) watch();
}

const watch = (watcher: () => void) => {
  start();
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

export const useIsConnected = (): boolean => useSyncExternalStore(watch, () => isConnected);

/** Calls `again` soon after news of these kinds (of this id alone, where one is given). */
export function useNews(of: Kind | readonly Kind[], again: () => void, id?: string): void {
  const latest = useRef(again);
  useEffect(() => void (latest.current = again));
  const wanted = typeof of === 'string' ? of : of.join(' ');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let askedAt = -Infinity;
    const hear: Hearer = (news) => {
      if (news !== 'all' && (!wanted.split(' ').includes(news.kind) || (id && news.id && news.id !== id))) return;
      const wait = Math.max(gatherMs, askedAt + betweenMs - performance.now());
      timer ??= setTimeout(() => {
        timer = undefined;
        askedAt = performance.now();
        latest.current();
      }, wait);
    };
    start();
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
      clearTimeout(timer);
    };
  }, [wanted, id]);
}

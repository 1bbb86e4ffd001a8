import { useEffect, useRef, useSyncExternalStore } from 'react';

/*
 * One stream of news for the whole console (GET /console/events): kinds and ids, never content. Whoever shows something of
 * a kind asks again when there is news of it, and after the stream was interrupted.
 */

export type Kind =
  | 'approval'
  | 'task'
  | 'call'
  | 'connection'
  | 'configuration'
  | 'policy'
  | 'source'
  | 'spend'
  | 'estate'
  | 'client'
  | 'organization';

interface News {
  kind: Kind;
  id: string | null;
}

const kinds: Kind[] = [
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
];
/** News that come in together are looked at together. */
const gatherMs = 250;

type Hearer = (news: News | 'all') => void;
const hearers = new Set<Hearer>();
const watchers = new Set<() => void>();
let source: EventSource | undefined;
let isConnected = true;

function open(): void {
  source = new EventSource('/console/events');
  for (const kind of kinds)
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const { id } = JSON.parse(data) as { id: string | null };
      for (const hear of hearers) hear({ kind, id });
    });
  source.onopen = () => {
    const wasLost = !isConnected;
    told(true);
    if (wasLost) for (const hear of hearers) hear('all');
  };
  source.onerror = () => {
    told(false);
    // a stream that was refused (signed out, a proxy's error page) is not tried again by the browser
    if (source?.readyState === EventSource.CLOSED) setTimeout(open, 3000);
  };
}

function told(now: boolean): void {
  if (isConnected === now) return;
  isConnected = now;
  for (const watch of watchers) watch();
}

const watch = (watcher: () => void) => {
  if (!source) open();
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
    const hear: Hearer = (news) => {
      if (news !== 'all' && (!wanted.split(' ').includes(news.kind) || (id && news.id && news.id !== id))) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, gatherMs);
    };
    if (!source) open();
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
      clearTimeout(timer);
    };
  }, [wanted, id]);
}

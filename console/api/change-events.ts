import { useEffect, useRef, useSyncExternalStore } from 'react';
import { type ConsoleEventKind, consoleEventKinds } from '../../src/console/events/console-event-kinds.ts';
import { fetchSignedIn } from './session.ts';

/*
 * One stream of change events for the whole console (GET /console/events): kinds and ids, never content. Subscribers refetch
 * on an event of their kinds, and after the stream was interrupted.
 */

interface ChangeEvent {
  kind: ConsoleEventKind;
  id: string | null;
}

/** Events within a short time cause one refetch; many events cause at most one a second. */
const batchMs = 250;
const refetchIntervalMs = 1000;
/** Streams end now and then and reconnect; only a longer interruption is shown. */
const disconnectedAfterMs = 2500;
/** Exponential backoff with jitter, so that not all consoles reconnect at once. */
const retryMs = 3000;
const maxRetryMs = 20_000;

type Subscriber = (event: ChangeEvent | 'all') => void;
const subscribers = new Set<Subscriber>();
const connectionListeners = new Set<() => void>();
let hasStarted = false;
let source: EventSource | undefined;
let isConnected = true;
let wasInterrupted = false;
let disconnectTimer: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

function start(): void {
  if (hasStarted) return;
  hasStarted = true;
  open();
  // browsers limit the connections to a server: hidden tabs close theirs
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  window.addEventListener('online', open);
}

function open(): void {
  if (source || document.hidden) return;
  source = new EventSource('/console/events');
  for (const kind of consoleEventKinds)
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const { id } = JSON.parse(data) as { id: string | null };
      for (const notify of subscribers) notify({ kind, id });
    });
  source.onopen = () => {
    setConnected(true);
    failures = 0;
    if (wasInterrupted) for (const notify of subscribers) notify('all');
    wasInterrupted = false;
  };
  source.onerror = () => {
    wasInterrupted = true;
    // after an error response the browser does not reconnect
    if (source?.readyState === EventSource.CLOSED) void retryLater();
    else disconnectTimer ??= setTimeout(() => setConnected(false), disconnectedAfterMs);
  };
}

function close(): void {
  source?.close();
  source = undefined;
  wasInterrupted = true;
  clearTimeout(disconnectTimer);
  disconnectTimer = undefined;
}

/** The session has ended: waits for a new one. Or a proxy answers for an unreachable server: retries with backoff. */
async function retryLater(): Promise<void> {
  close();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ me { freshAt } }"}',
  };
  const isReachable = await fetchSignedIn('/graphql', init).then(
    ({ ok }) => ok,
    () => false, // network error
  );
  setConnected(isReachable);
  const wait = Math.min(retryMs * 2 ** failures++, maxRetryMs);
  setTimeout(open, wait * (0.5 + Math.random() / 2));
}

function setConnected(now: boolean): void {
  clearTimeout(disconnectTimer);
  disconnectTimer = undefined;
  if (isConnected === now) return;
  isConnected = now;
  for (const notify of connectionListeners) notify();
}

const subscribeToConnection = (listener: () => void) => {
  start();
  connectionListeners.add(listener);
  return () => void connectionListeners.delete(listener);
};

export const useIsConnected = (): boolean => useSyncExternalStore(subscribeToConnection, () => isConnected);

/** Calls `refetch` soon after change events of these kinds; with `id`, of this object only. */
export function useChangeEvents(
  of: ConsoleEventKind | readonly ConsoleEventKind[],
  refetch: () => void,
  id?: string,
): void {
  const latest = useRef(refetch);
  useEffect(() => void (latest.current = refetch));
  const kindList = typeof of === 'string' ? of : of.join(' ');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let refetchedAt = -Infinity;
    const onEvent: Subscriber = (event) => {
      if (event !== 'all' && (!kindList.split(' ').includes(event.kind) || (id && event.id && event.id !== id))) return;
      const wait = Math.max(batchMs, refetchedAt + refetchIntervalMs - performance.now());
      timer ??= setTimeout(() => {
        timer = undefined;
        refetchedAt = performance.now();
        latest.current();
      }, wait);
    };
    start();
    subscribers.add(onEvent);
    return () => {
      subscribers.delete(onEvent);
      clearTimeout(timer);
    };
  }, [kindList, id]);
}

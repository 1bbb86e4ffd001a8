import type { Request, Response } from 'express';

export interface StreamEvent {
  event?: string;
  id?: string | number;
  /** When to come back after the stream has ended, in milliseconds. */
  retry?: number;
  /** One JSON text, without line breaks. */
  data: string;
}

export interface EventStream {
  /** False once the stream is closed; then nothing is sent. */
  send(event: StreamEvent): boolean;
  close(): void;
  readonly isOpen: boolean;
  onClose(then: () => void): void;
}

export interface StreamLimits {
  /** A comment is sent so often, which proxies and readers take for a sign of life. */
  keepAliveMs?: number;
  /** A reader that leaves more than this unread is let go, with a word; it comes back with Last-Event-ID. */
  maxBufferedBytes?: number;
  /** So is one that has left anything unread for so long. */
  stalledMs?: number;
}

/** For the reader that wakes up before the connection is cut. */
const closingComment = ': closed, since too much was left unread; come back with Last-Event-ID\n\n';
const closingGraceMs = 5000;

const activeStreams = new Set<EventStream>();

/** Ends every stream, so that a server that stops does not wait for its readers. */
export function closeStreams(): void {
  for (const stream of activeStreams) stream.close();
}

export function openStream(request: Request, response: Response, limits: StreamLimits = {}): EventStream {
  const { keepAliveMs = 15_000, maxBufferedBytes = 256 * 1024, stalledMs = 60_000 } = limits;
  const closeCallbacks: (() => void)[] = [];
  let isOpen = true;

  response.status(200).set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
  });
  // what is sent at once travels with the head
  request.socket.cork();
  response.flushHeaders();
  process.nextTick(() => request.socket.uncork());
  request.socket.setNoDelay(true);

  const handleEnd = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(keepAlive);
    activeStreams.delete(stream);
    for (const then of closeCallbacks) then();
  };
  const dropSlowReader = () => {
    response.end(closingComment);
    setTimeout(() => response.destroy(), closingGraceMs).unref();
    handleEnd();
  };
  let unreadSince: number | undefined;
  const isStalled = () => {
    unreadSince = response.writableLength ? (unreadSince ?? performance.now()) : undefined;
    return unreadSince !== undefined && performance.now() - unreadSince >= stalledMs;
  };
  const write = (text: string): boolean => {
    if (!isOpen) return false;
    // what lies there from before: one event alone may be longer than the allowance
    if (response.writableLength > maxBufferedBytes || isStalled()) {
      dropSlowReader();
      return false;
    }
    response.write(text);
    return true;
  };
  const keepAlive = setInterval(() => write(': keep-alive\n\n'), keepAliveMs);
  const stream: EventStream = {
    send: ({ event, id, retry, data }) => {
      const fields = Object.entries({ id, event, retry, data }).filter(([, value]) => value !== undefined);
      return write(`${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}\n`);
    },
    close: () => {
      if (!isOpen) return;
      response.end();
      handleEnd();
    },
    get isOpen() {
      return isOpen;
    },
    onClose: (then) => void closeCallbacks.push(then),
  };
  activeStreams.add(stream);
  response.on('close', handleEnd);
  response.on('error', handleEnd);
  return stream;
}

import type { Request, Response } from 'express';

export interface StreamEvent {
  event?: string;
  id?: string | number;
  /** Reconnection delay of the client, in milliseconds. */
  retry?: number;
  /** One JSON text, without line breaks. */
  data: string;
}

export interface EventStream {
  /** Returns false, and sends nothing, after the stream is closed. */
  send(event: StreamEvent): boolean;
  close(): void;
  readonly isOpen: boolean;
  onClose(then: () => void): void;
}

export interface StreamLimits {
  /** Interval of comments that keep the connection alive for proxies and clients. */
  keepAliveMs?: number;
  /** A client with more unread data is disconnected with a comment. It can resume with Last-Event-ID. */
  maxBufferedBytes?: number;
  /** A client that leaves any data unread for this long is disconnected too. */
  stalledMs?: number;
}

/** For a client that resumes reading before the connection is destroyed. */
const closingComment = ': closed because too much data was unread; reconnect with Last-Event-ID\n\n';
const closingGraceMs = 5000;

const activeStreams = new Set<EventStream>();

/** Ends every stream, so that the shutdown does not wait for clients. */
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
  // data that is written in this tick is sent in one packet with the headers
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
    // counts earlier data only: a single event may be larger than the limit
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

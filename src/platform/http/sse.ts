import type { Request, Response } from 'express';

export interface StreamEvent {
  event?: string;
  id?: string | number;
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

interface Options {
  keepAliveMs?: number;
  /** A reader that leaves more than this unread is let go; it comes back with Last-Event-ID. */
  maxBufferedBytes?: number;
}

const open = new Set<EventStream>();

/** Ends every stream, so that a server that stops does not wait for its readers. */
export function closeStreams(): void {
  for (const stream of open) stream.close();
}

export function openStream(request: Request, response: Response, options: Options = {}): EventStream {
  const { keepAliveMs = 15_000, maxBufferedBytes = 256 * 1024 } = options;
  const closing: (() => void)[] = [];
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

  const ended = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(keepAlive);
    open.delete(stream);
    for (const then of closing) then();
  };
  const write = (text: string): boolean => {
    if (!isOpen) return false;
    // what lies there from before: one event alone may be longer than the allowance
    if (response.writableLength > maxBufferedBytes) {
      response.destroy();
      ended();
      return false;
    }
    response.write(text);
    return true;
  };
  const keepAlive = setInterval(() => write(': keep-alive\n\n'), keepAliveMs);
  const stream: EventStream = {
    send: ({ event, id, data }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}${event ? `event: ${event}\n` : ''}data: ${data}\n\n`),
    close: () => {
      if (!isOpen) return;
      response.end();
      ended();
    },
    get isOpen() {
      return isOpen;
    },
    onClose: (then) => void closing.push(then),
  };
  open.add(stream);
  response.on('close', ended);
  response.on('error', ended);
  return stream;
}

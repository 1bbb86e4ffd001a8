import type { UnderlyingSource } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import type { ValueCount } from '../json/value-count.js';

export interface DispatchOptions {
  method: string;
  headers: Headers;
  body?: RequestInit['body'];
  signal?: AbortSignal | null;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
  /** Limit of the decoded body. */
  maxBytes: number;
  /** Counts keys and values of the decoded body, which is JSON or a stream of JSON events. */
  values?: ValueCount;
  /** Called when the request is written to the socket. Before that, the other side has received nothing. */
  onSent(): void;
  /** Maps an error of the connection or the server to the error to throw. */
  failure(error: unknown): unknown;
  tooLarge(): Error;
  tooManyValues(): Error;
}

type DispatchHandler = Dispatcher.DispatchHandler;
type DispatchController = Dispatcher.DispatchController;

const statusesWithoutBody = [204, 205, 304];
/** Received bytes that the caller has not read yet. */
const maxBufferedBytes = 64 * 1024;
/** The encodings that `DecompressionStream` supports, with the same names. */
const contentEncodings = ['gzip', 'deflate'] as const;
type ContentEncoding = (typeof contentEncodings)[number];

/**
 * Sends one request on the dispatcher directly and returns a `Response` like `fetch`. The extra work of `fetch`, which
 * is for browsers, takes longer than the rest of a tool call's request. The caller handles redirects.
 */
export async function dispatchRequest(dispatcher: Dispatcher, url: URL, options: DispatchOptions): Promise<Response> {
  options.signal?.throwIfAborted();
  const { method, headers, headersTimeoutMs: headersTimeout, idleTimeoutMs: bodyTimeout } = options;
  const { body, type } = await encodeBody(options.body);
  for (const [name, value] of Object.entries({ 'content-type': type, ...defaultHeaders }))
    if (value && !headers.has(name)) headers.set(name, value);
  const answering = new ResponseHandler(options);
  dispatcher.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headers),
      body,
      headersTimeout,
      bodyTimeout,
    },
    answering,
  );
  return answering.response;
}

const defaultHeaders: Record<string, string> = {
  accept: '*/*',
  'accept-encoding': contentEncodings.join(', '),
  'user-agent': 'countersign',
};

/** The body as bytes or text, and its default content type. */
async function encodeBody(body: RequestInit['body']): Promise<{ body?: string | Uint8Array; type?: string | null }> {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string') return { body, type: 'text/plain;charset=UTF-8' };
  const whole = new Response(body);
  return { body: await whole.bytes(), type: whole.headers.get('content-type') };
}

class ResponseHandler implements DispatchHandler {
  private readonly head = Promise.withResolvers<Response>();
  private controller?: DispatchController;
  private stream?: ReadableStreamDefaultController<Uint8Array>;
  private isFinished = false;
  private received = 0;
  private isPacked = false;

  constructor(private readonly options: DispatchOptions) {
    options.signal?.addEventListener('abort', this.abort, { once: true });
  }

  get response(): Promise<Response> {
    return this.head.promise;
  }

  onRequestStart(controller: DispatchController): void {
    this.controller = controller;
    if (this.isFinished) controller.abort(new Error('aborted before the request was sent'));
    else this.options.onSent();
  }

  onResponseStart(
    _controller: DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText = '',
  ): void {
    if (status < 200) return; // informational: the final response follows
    const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    );
    const answer = { status, statusText, headers: pairs };
    const isEmpty = this.options.method === 'HEAD' || statusesWithoutBody.includes(status);
    this.head.resolve(new Response(isEmpty ? null : this.body(headers['content-encoding']), answer));
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.isFinished || !this.stream) return;
    this.received += chunk.byteLength;
    const { maxBytes, values, tooLarge, tooManyValues } = this.options;
    if (this.received > maxBytes) return this.abortWith(tooLarge());
    if (!this.isPacked && values?.admits(chunk) === false) return this.abortWith(tooManyValues());
    this.stream.enqueue(chunk);
    if (this.stream.desiredSize! <= 0) controller.pause();
  }

  onResponseEnd(): void {
    if (this.finish()) this.stream?.close();
  }

  onResponseError(_controller: DispatchController, error: Error): void {
    this.fail(error);
  }

  private body(encoding?: string | string[]): ReadableStream<Uint8Array> {
    const source: UnderlyingSource<Uint8Array> = {
      start: (stream) => void (this.stream = stream),
      pull: () => this.controller!.resume(),
      cancel: (reason) => this.abortWith(reason ?? new Error('the response was not read to its end')),
    };
    const sent = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }));
    const format = contentEncodings.find((supported) => supported === encoding);
    this.isPacked = format !== undefined;
    return format ? ReadableStream.from(decompress(sent, format, this.options)) : sent;
  }

  private readonly abort = () => this.abortWith(this.options.signal!.reason);

  private abortWith(reason: unknown): void {
    this.fail(reason);
    this.controller?.abort(reason as Error);
  }

  private fail(error: unknown): void {
    if (!this.finish()) return;
    const failure = this.options.failure(error);
    this.head.reject(failure);
    this.stream?.error(failure);
  }

  /** Returns false if it was already finished. */
  private finish(): boolean {
    if (this.isFinished) return false;
    this.options.signal?.removeEventListener('abort', this.abort);
    return (this.isFinished = true);
  }
}

async function* decompress(
  sent: ReadableStream<Uint8Array>,
  format: ContentEncoding,
  { maxBytes, values, tooLarge, tooManyValues, failure }: DispatchOptions,
): AsyncGenerator<Uint8Array> {
  let unpackedBytes = 0;
  try {
    for await (const chunk of sent.pipeThrough(new DecompressionStream(format))) {
      unpackedBytes += chunk.byteLength;
      if (unpackedBytes > maxBytes) throw tooLarge();
      if (values?.admits(chunk) === false) throw tooManyValues();
      yield chunk;
    }
  } catch (error) {
    throw failure(error);
  }
}

import type { Response as HttpResponse } from 'express';
import type { IncomingRequest } from '../incoming-request.js';
import { RpcRefusal } from '../rpc-refusal.js';
import type { ResumableStream } from './resumable-stream.js';
import type { RpcNotification, RpcRequest, RpcResponse } from './messages.js';

/** Slower requests answer with a stream, which the client can resume and which shows that the server is alive. */
const streamAfterMs = 1000;

/** The answer to one request: JSON if only the result is sent, otherwise a stream. */
export class SessionReply {
  readonly done: Promise<void>;
  private readonly finish: () => void;
  private readonly fail: (reason: unknown) => void;
  private streamTimer?: NodeJS.Timeout;
  private stream?: Promise<ResumableStream>;
  private isAnswered = false;

  constructor(
    private readonly incoming: IncomingRequest,
    private readonly http: HttpResponse,
    private readonly openStream: () => Promise<ResumableStream>,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.done = promise;
    this.finish = resolve;
    this.fail = reject;
  }

  begin(): void {
    // A failure here is ignored: a later message retries and reports it.
    this.streamTimer = setTimeout(() => void this.ensureStream()?.catch(() => undefined), streamAfterMs);
  }

  async notify(notification: RpcNotification): Promise<void> {
    await (await this.ensureStream())?.notify(notification);
  }

  async ask(request: RpcRequest, answered: (response: RpcResponse) => void): Promise<void> {
    const stream = await this.ensureStream();
    if (!stream) throw new Error('the client has disconnected');
    await stream.ask(request, answered);
  }

  /** Ignored after the first answer. */
  async respond(response: RpcResponse): Promise<void> {
    clearTimeout(this.streamTimer);
    if (this.isAnswered) return;
    this.isAnswered = true;
    try {
      const { refusal } = this.incoming;
      const stream = await this.stream?.catch(() => undefined);
      if (stream) await stream.end(response);
      else if (refusal instanceof RpcRefusal) this.http.status(refusal.status).json(refusal);
      else if (refusal) return this.fail(refusal);
      // Avoids `response.json`: Express would compute an ETag for each result, which no client requests.
      else this.http.status(200).type('json').end(JSON.stringify(response));
      this.finish();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The client cancelled and expects no response (MCP, cancellation). Marks the stream as ended, so that it cannot resume. */
  async cancel(): Promise<void> {
    clearTimeout(this.streamTimer);
    if (this.isAnswered) return;
    this.isAnswered = true;
    try {
      const stream = await this.stream?.catch(() => undefined);
      if (stream) await stream.end(null);
      else this.http.status(202).end();
      this.finish();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Undefined: no client is connected, and none could resume the stream. */
  private ensureStream(): Promise<ResumableStream> | undefined {
    clearTimeout(this.streamTimer);
    if (!this.stream && (this.isAnswered || this.http.closed)) return undefined;
    // if no stream can be opened, the result is still sent as JSON
    return (this.stream ??= this.openStream().catch((error: unknown) => {
      this.stream = undefined;
      throw error;
    }));
  }
}

import type { Response as HttpResponse } from 'express';
import type { IncomingRequest } from '../incoming-request.js';
import { RpcRefusal } from '../rpc-refusal.js';
import type { ResumableStream } from './resumable-stream.js';
import type { RpcNotification, RpcRequest, RpcResponse } from './messages.js';

/** What takes longer is told as a stream: its client can come back to it, and hears that we are still there. */
const streamAfterMs = 1000;

/** The answer to one request: JSON where nothing but the result is sent, a stream where there is more. */
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

  /** The request is on its way. */
  begin(): void {
    // where it fails, whoever needs the stream hears of it
    this.streamTimer = setTimeout(() => void this.ensureStream()?.catch(() => undefined), streamAfterMs);
  }

  async notify(notification: RpcNotification): Promise<void> {
    await (await this.ensureStream())?.notify(notification);
  }

  async ask(request: RpcRequest, answered: (response: RpcResponse) => void): Promise<void> {
    const stream = await this.ensureStream();
    if (!stream) throw new Error('the client has gone');
    await stream.ask(request, answered);
  }

  /** Once. */
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
      // by hand: Express would make an entity tag of each result, which is never asked for
      else this.http.status(200).type('json').end(JSON.stringify(response));
      this.finish();
    } catch (error) {
      this.fail(error);
    }
  }

  /** By the client, which expects no response (MCP, cancellation). A stream is stored as ended, so that nobody resumes it. */
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

  /** Undefined: nobody reads it, and nobody could come back to it. */
  private ensureStream(): Promise<ResumableStream> | undefined {
    clearTimeout(this.streamTimer);
    if (!this.stream && (this.isAnswered || this.http.closed)) return undefined;
    // where no stream can be kept, the result is told all the same
    return (this.stream ??= this.openStream().catch((error: unknown) => {
      this.stream = undefined;
      throw error;
    }));
  }
}

import type { LogService } from '../../platform/telemetry/log.service.js';
import { NotSent } from '../../connections/connections.error.js';
import type { StdioSession } from './stdio-session.js';
import type { StdioSessionRepository, SessionMessage } from './stdio-session-repository.service.js';
import type { StdioMultiplexer } from './stdio-multiplexer.js';

/** A process that stalled longer does not forward older requests: their callers already consider them lost. */
const maxStallMs = 5000;

interface ServedSession extends StdioSession {
  /** Completes when all enqueued messages are written, in order. */
  written: Promise<void>;
}

/** The sessions of other processes with a child of this process. */
export class ServedSessions {
  private readonly sessions = new Map<string, ServedSession>();

  constructor(
    private readonly child: string,
    private readonly command: string,
    private readonly multiplexer: StdioMultiplexer,
    private readonly repository: StdioSessionRepository,
    private readonly log: LogService,
  ) {}

  async serve(): Promise<void> {
    for (const id of await this.repository.accept(this.child, this.command)) this.open(id);
    if (!this.sessions.size) return;
    const living = await this.repository.listLiving(this.child);
    for (const id of this.sessions.keys()) if (!living.includes(id)) await this.remove(id);
    const askedAt = performance.now();
    const taken = await this.repository.consumeRequests(this.child);
    if (performance.now() - askedAt > maxStallMs) return;
    for (const { line, message, ...content } of taken) if (message) this.forward(line, { message, ...content });
  }

  /** Writes pending messages first. */
  async close(reason: string): Promise<void> {
    await Promise.all([...this.sessions.values()].map(({ written }) => written));
    await this.repository.closeAllOf(this.child, reason);
  }

  private open(id: string): void {
    const session = this.multiplexer.open({
      receive: (message, about) => this.enqueue(id, { message, about }),
      sessionEnded: () => undefined, // all sessions are closed together
    });
    this.sessions.set(id, { ...session, written: Promise.resolve() });
  }

  private forward(id: string, { message }: SessionMessage): void {
    const about = message && 'id' in message ? message.id : undefined;
    this.sessions
      .get(id)
      ?.send(message!)
      // other failures are reported when the session or the caller's request ends
      .catch((error: Error) => error instanceof NotSent && this.enqueue(id, { notSent: error.message, about }));
  }

  private enqueue(id: string, content: SessionMessage): void {
    const served = this.sessions.get(id);
    if (!served) return;
    served.written = served.written
      .then(() => this.repository.sendAnswer(id, content))
      .catch(() => this.remove(id)) // which tells the caller that no answer will come
      .catch((error: unknown) =>
        this.log.warn(
          { err: error, command: this.command },
          'closed stdio session could not be reported to its caller',
        ),
      );
  }

  /** Deletes the row first: as long as it exists, the caller writes to the session and expects answers. */
  private async remove(id: string): Promise<void> {
    await this.repository.close(id);
    const served = this.sessions.get(id);
    this.sessions.delete(id);
    await served?.close();
  }
}

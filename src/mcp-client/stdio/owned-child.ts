import { newId } from '../../platform/crypto/ids.js';
import type { LogService } from '../../platform/telemetry/log.service.js';
import { failureMessageOf } from '../../platform/errors/failure-message.js';
import { coalesced } from './coalesced.js';
import type { StdioListener, StdioSession, StdioCommand } from './stdio-session.js';
import type { StdioSessionRepository } from './stdio-session-repository.service.js';
import { ServedSessions } from './served-sessions.js';
import type { StdioLeasesService } from './stdio-leases.service.js';
import { StdioMultiplexer } from './stdio-multiplexer.js';

const childIdleMs = 30_000;
/** A child that ran this long did not fail at its start. */
const stableAfterMs = 60_000;

interface OwnedChildDependencies {
  leases: StdioLeasesService;
  repository: StdioSessionRepository;
  log: LogService;
}

/** A child that this process runs for all processes. */
export class OwnedChild {
  /** Resolves after its lease is released. */
  readonly exit: Promise<void>;
  /** Accepts no new session. */
  isEnding = false;
  readonly serve: () => void;
  private readonly servedSessions: ServedSessions;
  private readonly startedAt = performance.now();

  private constructor(
    private readonly id: string,
    readonly command: StdioCommand,
    private readonly multiplexer: StdioMultiplexer,
    private readonly dependencies: OwnedChildDependencies,
    lost: AbortSignal,
  ) {
    const { repository, log } = dependencies;
    this.servedSessions = new ServedSessions(id, command.name, multiplexer, repository, log);
    this.serve = coalesced(
      () => this.servedSessions.serve(),
      (error) =>
        log.warn({ err: error, command: command.name }, 'stdio sessions of other processes could not be served'),
    );
    this.exit = multiplexer.exit.then((reason) => this.onExit(reason));
    if (lost.aborted) this.onLeaseLost();
    else lost.addEventListener('abort', () => this.onLeaseLost());
  }

  /** Null if it may not be started on this process now. */
  static async start(command: StdioCommand, dependencies: OwnedChildDependencies): Promise<OwnedChild | null> {
    const id = newId();
    const lost = new AbortController();
    if (!(await dependencies.leases.claim(command.name, id, () => lost.abort()))) return null;
    try {
      return new OwnedChild(id, command, await StdioMultiplexer.start(command), dependencies, lost.signal);
    } catch (error) {
      await dependencies.leases.fail(id, failureMessageOf(error), false);
      throw error;
    }
  }

  open(listener: StdioListener): StdioSession {
    return this.multiplexer.open(listener);
  }

  /** Called every second. */
  check(): void {
    this.multiplexer.check();
    if (this.multiplexer.isUnusedFor(childIdleMs)) void this.end('it was idle');
  }

  async end(reason: string): Promise<void> {
    this.isEnding = true;
    await this.multiplexer.end(reason);
    await this.exit;
  }

  private onLeaseLost(): void {
    this.isEnding = true;
    void this.multiplexer.kill('another process took over');
  }

  private async onExit(reason: string): Promise<void> {
    const { leases, log } = this.dependencies;
    const hasFailed = !this.isEnding;
    this.isEnding = true;
    if (hasFailed) log.warn({ command: this.command.name, reason }, 'command exited unexpectedly');
    try {
      await this.servedSessions.close(reason);
      if (hasFailed) await leases.fail(this.id, reason, performance.now() - this.startedAt > stableAfterMs);
      else await leases.release(this.id);
    } catch (error) {
      log.warn(
        { err: error, command: this.command.name },
        'exit of a command could not be recorded; its lease expires',
      );
    }
  }
}

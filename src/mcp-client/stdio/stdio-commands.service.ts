import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../platform/config/config.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { NotSent } from '../../connections/connections.error.js';
import { failureMessageOf } from '../../platform/errors/failure-message.js';
import { withinDeadline } from '../../platform/events/within-deadline.js';
import { coalesced } from './coalesced.js';
import { RemoteStdioSessionsService } from './remote-stdio-sessions.service.js';
import type { StdioListener, StdioSession, StdioCommand } from './stdio-session.js';
import { stdioCommandsTopic, StdioSessionRepository } from './stdio-session-repository.service.js';
import { OwnedChild } from './owned-child.js';
import { StdioLeasesService } from './stdio-leases.service.js';

const checkMs = 1000;

/**
 * The operator's commands. Each has one child per cluster, owned by the worker that started it. Sessions with it can be
 * opened on every process.
 */
@Injectable()
export class StdioCommandsService implements OnModuleInit {
  private readonly owned = new Map<string, Promise<OwnedChild | null>>();
  private isEnding = false;
  private readonly scheduleStart = coalesced(
    () => this.startAwaited(),
    (error) => this.log.warn({ err: error }, 'commands could not be started for other processes'),
  );

  constructor(
    private readonly config: Config,
    private readonly leases: StdioLeasesService,
    private readonly repository: StdioSessionRepository,
    private readonly remoteSessions: RemoteStdioSessionsService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    if (!this.config.isWorker || !this.config.stdioCommands.length) return;
    this.wakeupChannel.subscribe(stdioCommandsTopic, (ids) => {
      this.forEach((child) => (ids === 'all' || ids.includes(child.command.name)) && child.serve());
      this.scheduleStart();
    });
  }

  async endAll(): Promise<void> {
    this.isEnding = true;
    const ending = [...this.owned.values()].map(async (starting) => {
      const child = await starting.catch(() => null); // the caller got the error
      await child?.end('the server was stopped');
    });
    await Promise.all(ending);
  }

  /** Fails with `NotSent` and a readable message. */
  async open(command: StdioCommand, listener: StdioListener, timeoutMs: number): Promise<StdioSession> {
    const child = this.config.isWorker ? await this.startedWithin(timeoutMs, command) : null;
    return child ? child.open(listener) : this.remoteSessions.open(command.name, listener, timeoutMs);
  }

  private async startedWithin(timeoutMs: number, command: StdioCommand): Promise<OwnedChild | null> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return await withinDeadline(signal, this.own(command));
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new NotSent(`The command "${command.name}" did not start as an MCP server in time.`, { cause: error });
    }
  }

  /** Null if another process owns it. */
  private async own(command: StdioCommand): Promise<OwnedChild | null> {
    const known = await this.owned.get(command.name);
    if (known && !known.isEnding) return known;
    await known?.exit; // by then its lease is released
    return this.owned.get(command.name) ?? this.start(command);
  }

  private start(command: StdioCommand): Promise<OwnedChild | null> {
    const starting = this.startChild(command);
    const forget = () => void this.owned.delete(command.name);
    this.owned.set(command.name, starting);
    starting.then((child) => (child ? child.exit.then(forget) : forget()), forget);
    return starting;
  }

  private async startChild(command: StdioCommand): Promise<OwnedChild | null> {
    const { leases, repository, log } = this;
    if (this.isEnding) throw new NotSent('The server is shutting down.');
    const child = await OwnedChild.start(command, { leases, repository, log });
    if (child) return child;
    const { failures = 0, failure, waitSeconds = 0 } = (await leases.failureStateOf(command.name)) ?? {};
    if (!waitSeconds) return null;
    throw new NotSent(
      `The command "${command.name}" exited ${failures === 1 ? 'once' : `${failures} times`} (${failure}). It restarts in ${waitSeconds} seconds.`,
    );
  }

  /** Starts commands that other processes wait for, if no process owns them. */
  private async startAwaited(): Promise<void> {
    const mine = this.config.stdioCommands.filter(({ name }) => !this.owned.has(name));
    if (!mine.length || this.isEnding) return;
    const awaited = await this.repository.listAwaited(mine.map(({ name }) => name));
    for (const command of mine.filter(({ name }) => awaited.includes(name)))
      this.own(command)
        .then(
          (child) => child?.serve(),
          (error: unknown) => this.repository.refuse(command.name, failureMessageOf(error)),
        )
        .catch((error: unknown) =>
          this.log.warn({ err: error, command: command.name }, 'failed start of a command could not be reported'),
        );
  }

  @Interval(checkMs)
  protected checkChildren(): void {
    if (!this.isEnding) this.forEach((child) => child.check());
  }

  private forEach(act: (child: OwnedChild) => unknown): void {
    for (const starting of this.owned.values())
      starting.then(
        (child) => child && act(child),
        () => undefined, // the caller got the error
      );
  }
}

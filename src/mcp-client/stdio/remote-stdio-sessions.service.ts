import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '../../platform/crypto/ids.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { NotSent } from '../../connections/connections.error.js';
import { withinDeadline } from '../../platform/events/within-deadline.js';
import { coalesced } from './coalesced.js';
import { RemoteStdioSession } from './remote-stdio-session.js';
import type { StdioListener, StdioSession } from './stdio-session.js';
import { StdioSessionRepository, stdioSessionsTopic } from './stdio-session-repository.service.js';

const sessionKeepAliveMs = 5000;

/** Sessions of this process with children that other processes own. */
@Injectable()
export class RemoteStdioSessionsService implements OnModuleInit {
  private readonly sessions = new Map<string, RemoteStdioSession>();
  private readonly scheduleRead = coalesced(
    () => this.read(),
    (error) => this.log.warn({ err: error }, 'stdio sessions could not be read'),
  );

  constructor(
    private readonly repository: StdioSessionRepository,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(stdioSessionsTopic, (ids) => {
      if (this.sessions.size && (ids === 'all' || ids.some((id) => this.sessions.has(id)))) this.scheduleRead();
    });
  }

  /** Resolves after a process has accepted the session. */
  async open(command: string, listener: StdioListener, timeoutMs: number): Promise<StdioSession> {
    const id = newId();
    const session = new RemoteStdioSession(id, command, listener, this.repository, () => this.sessions.delete(id));
    await this.repository.open(id, command);
    this.sessions.set(id, session);
    this.scheduleRead();
    try {
      await withinDeadline(AbortSignal.timeout(timeoutMs), session.accepted);
    } catch (error) {
      await session.close();
      if (error instanceof NotSent) throw error;
      throw new NotSent(`No worker process started the command "${command}" in time.`, { cause: error });
    }
    return session;
  }

  private async read(): Promise<void> {
    const ids = [...this.sessions.keys()];
    if (!ids.length) return;
    const states = new Map((await this.repository.states(ids)).map((state) => [state.id, state]));
    for (const { line, ...message } of await this.repository.consumeAnswers(ids)) {
      this.sessions.get(line)?.receive(message);
      await turn(); // the SDK drops the progress handler of a call as soon as its answer arrives
    }
    for (const id of ids) {
      const { isAccepted = false, isLost = true, closed = null } = states.get(id) ?? {};
      if (closed !== null) await this.sessions.get(id)?.markLost(closed);
      else if (isLost) await this.sessions.get(id)?.markLost('the process that ran it is gone');
      else if (isAccepted) this.sessions.get(id)?.accept();
    }
  }

  @Interval(sessionKeepAliveMs)
  protected async keepAlive(): Promise<void> {
    if (!this.sessions.size) return;
    try {
      await this.repository.keepAlive([...this.sessions.keys()]);
    } catch (error) {
      this.log.warn({ err: error }, 'stdio sessions could not be kept alive');
    }
  }
}

import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Recheck } from '../access/recheck.service.js';
import { Database } from '../platform/database/database.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { touchSessions } from './mcp-sessions.system.sql.js';
import { SessionListeners } from './session-listeners.service.js';

const touchMs = 60_000;
const recheckMs = 5000;
const recheckedAtOnce = 8;

/** A stream may last for days, and what opened it may not. While it lasts, its session is not idle. */
@Injectable()
export class ListenerUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];
  private isRechecking = false;

  constructor(
    private readonly listeners: SessionListeners,
    private readonly recheck: Recheck,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.timers.push(
      setInterval(() => void this.touch(), touchMs),
      setInterval(() => void this.recheckAll(), recheckMs),
    );
  }

  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private async recheckAll(): Promise<void> {
    if (this.isRechecking) return;
    this.isRechecking = true;
    try {
      const { all } = this.listeners;
      while (all.length)
        await Promise.all(
          all.splice(0, recheckedAtOnce).map(async (listener) => {
            if (await this.recheck.check(listener.principal)) listener.end();
          }),
        );
    } catch (error) {
      this.log.warn({ err: error }, 'who listens to sessions could not be checked; it is checked again');
    } finally {
      this.isRechecking = false;
    }
  }

  private async touch(): Promise<void> {
    const { all } = this.listeners;
    if (!all.length) return;
    try {
      await this.database.systemPool.query({
        ...touchSessions,
        values: [all.map(({ principal }) => principal.tenantId), all.map(({ sessionId }) => sessionId)],
      });
    } catch (error) {
      this.log.warn({ err: error }, 'open sessions could not be marked as in use; the next minute tries again');
    }
  }
}

import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { CredentialRevalidationService } from '../access/credential-revalidation.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { touchSessions } from './mcp-sessions.system.sql.js';
import { SessionListenerRegistry } from './session-listener-registry.service.js';

const touchMs = 60_000;
const revalidationMs = 5000;
const revalidationConcurrency = 8;

/** Ends streams whose credential is no longer valid, and marks sessions with an open stream as in use. */
@Injectable()
export class ListenerMaintenanceService {
  private isRevalidating = false;

  constructor(
    private readonly listeners: SessionListenerRegistry,
    private readonly credentialRevalidation: CredentialRevalidationService,
    private readonly database: DatabaseService,
    private readonly log: LogService,
  ) {}

  @Interval(revalidationMs)
  protected async revalidateAll(): Promise<void> {
    if (this.isRevalidating) return;
    this.isRevalidating = true;
    try {
      const { all } = this.listeners;
      while (all.length)
        await Promise.all(
          all.splice(0, revalidationConcurrency).map(async (listener) => {
            if (await this.credentialRevalidation.revalidate(listener.principal)) listener.end();
          }),
        );
    } catch (error) {
      this.log.warn({ err: error }, 'credentials of session listeners could not be revalidated; retrying');
    } finally {
      this.isRevalidating = false;
    }
  }

  @Interval(touchMs)
  protected async touch(): Promise<void> {
    const { all } = this.listeners;
    if (!all.length) return;
    try {
      await this.database.systemPool.execute(touchSessions, [
        all.map(({ principal }) => principal.tenantId),
        all.map(({ sessionId }) => sessionId),
      ]);
    } catch (error) {
      this.log.warn({ err: error }, 'open sessions could not be marked as in use; retrying');
    }
  }
}

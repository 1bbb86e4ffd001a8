import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { sweepMcpExchanges } from './exchanges.system.sql.js';
import { mcpSessionIdleSeconds } from './mcp-sessions.service.js';
import { sweepMcpEvents, sweepMcpSessions } from './mcp-sessions.system.sql.js';

/** How long a client may take to resume a stream or to fetch an outcome. */
const sessionRetentionSeconds = 10 * 60;
const maxSweptRows = 10_000;

/** Deletes sessions, events and exchanges that clients can no longer resume. */
@Injectable()
export class McpSessionSweepService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('mcp.sweep', 60, () => this.sweep());
  }

  sweep(): Promise<void> {
    return this.database.system('sweep sessions over MCP', async (tx) => {
      await tx.execute(sweepMcpSessions, [mcpSessionIdleSeconds, maxSweptRows]);
      await tx.execute(sweepMcpEvents, [sessionRetentionSeconds, maxSweptRows]);
      await tx.execute(sweepMcpExchanges, [sessionRetentionSeconds]);
    });
  }
}

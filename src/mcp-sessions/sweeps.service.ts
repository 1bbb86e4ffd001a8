import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { sweepExchanges } from './exchanges.system.sql.js';
import { idleSeconds } from './mcp-sessions.service.js';
import { sweepEvents, sweepSessions } from './mcp-sessions.system.sql.js';

/** How long a client may take to come back for what it missed, or for an outcome. */
const keptSeconds = 10 * 60;
const most = 10_000;

/** Removes what nobody comes back for. */
@Injectable()
export class McpSessionSweeps implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.queue.every('mcp.sweep', 60, () => this.sweep());
  }

  sweep(): Promise<void> {
    return this.database.system('sweep sessions over MCP', async (tx) => {
      await tx.query(sweepSessions, [idleSeconds, most]);
      await tx.query(sweepEvents, [keptSeconds, most]);
      await tx.query(sweepExchanges, [keptSeconds]);
    });
  }
}

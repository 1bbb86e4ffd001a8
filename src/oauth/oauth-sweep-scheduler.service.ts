import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Statement } from '../platform/database/statement.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { eraseReplays, sweepRows } from './rows.system.sql.js';

const replaySeconds = 2;
const rowSeconds = 10 * 60;

/** Removes expired data: replayable responses every few seconds, rows every ten minutes. */
@Injectable()
export class OauthSweepScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('oauth.replays', replaySeconds, () => this.run(eraseReplays));
    this.queue.every('oauth.rows', rowSeconds, () => this.run(sweepRows));
  }

  private run(statement: Statement): Promise<void> {
    return this.database.system('sweep the authorization server', async (tx) => void (await tx.execute(statement)));
  }
}

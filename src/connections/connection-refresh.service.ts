import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Problem } from '../platform/errors/problem.js';
import { Queue } from '../platform/queue/queue.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { connectionNotFound } from './connections.error.js';
import { ConnectionsService } from './connections.service.js';
import { dueForVerification } from './connections.system.sql.js';

const job = 'connections.verify';
const everySeconds = 30;
const mostAtOnce = 200;

/** Verifies every connection from time to time, so that a broken one shows before somebody needs it. */
@Injectable()
export class ConnectionRefresh implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly connections: ConnectionsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(job, ({ tenantId, id }) => this.verify(String(tenantId), String(id)));
    this.queue.every('connections.due', everySeconds, () => this.enqueueDue());
  }

  /** One job a connection; the queue spreads them over the processes. */
  async enqueueDue(): Promise<void> {
    const due = await this.database.system('connections due', (tx) =>
      tx.query<{ tenantId: string; id: string }[]>(dueForVerification, [mostAtOnce]),
    );
    for (const { tenantId, id } of due) {
      await this.database.tenant({ tenantId }, (tx) =>
        this.queue.add(tx, job, { tenantId, id }, { key: `${job}:${id}`, maxAttempts: 2 }),
      );
    }
  }

  private async verify(tenantId: string, id: string): Promise<void> {
    try {
      await this.connections.verify(systemPrincipal(tenantId, 'connections'), id);
    } catch (error) {
      if (error instanceof Problem && error.code === connectionNotFound.code) return; // removed in the meantime
      throw error;
    }
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { ToolCall, type CallState } from './tool-call.entity.js';

export interface SettledCall {
  tenantId: string;
  callId: string;
  taskId: string | null;
  state: CallState;
}
type Handler = (call: SettledCall) => void | Promise<void>;

/** Runs an approved call that no task comes back for. */
export const executeJob = 'gate.execute';
const job = 'gate.settled';

/** Tells whoever waits for a call that it moved without them. By a job: who waits is told even if we die right after the commit. */
@Injectable()
export class Settled implements OnModuleInit {
  private readonly handlers: Handler[] = [];

  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.queue.handle(job, ({ tenantId, callId }) => this.tell(String(tenantId), String(callId)));
  }

  on(handler: Handler): void {
    this.handlers.push(handler);
  }

  announce(tx: EntityManager, { tenantId, id }: ToolCall): Promise<void> {
    return this.queue.add(tx, job, { tenantId, callId: id });
  }

  private async tell(tenantId: string, callId: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id: callId }));
    if (!call) return;
    const { taskId, state } = call;
    for (const handler of this.handlers) await handler({ tenantId, callId, taskId, state });
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { ToolCall, type CallState } from './tool-call.entity.js';

export interface SettledCall {
  tenantId: string;
  callId: string;
  taskId: string | null;
  state: CallState;
}
type SettledHandler = (call: SettledCall) => void | Promise<void>;

/** Runs an approved call that no task resumes. */
export const executeJob = 'gate.execute';
const settledJob = 'gate.settled';

/**
 * Notifies waiters of calls that changed state in the background. Uses a job, so a crash after the commit loses
 * nothing.
 */
@Injectable()
export class CallSettlementService implements OnModuleInit {
  private readonly handlers: SettledHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(settledJob, ({ tenantId, callId }) => this.notifyHandlers(String(tenantId), String(callId)));
  }

  onSettled(handler: SettledHandler): void {
    this.handlers.push(handler);
  }

  publish(tx: Tx, { tenantId, id }: ToolCall): Promise<void> {
    return this.queue.add(tx, settledJob, { tenantId, callId: id });
  }

  private async notifyHandlers(tenantId: string, callId: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id: callId }));
    if (!call) return;
    const { taskId, state } = call;
    for (const handler of this.handlers) await handler({ tenantId, callId, taskId, state });
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { TaskRunRepository } from './task-run-repository.service.js';
import { wakeTask } from './tasks.sql.js';
import { dueTopic } from './topics.js';

/** Connects tasks to the gate: the ledger checks their leases, and a decided call wakes its task. */
@Injectable()
export class TaskWakeupService implements OnModuleInit {
  constructor(
    private readonly gate: GateService,
    private readonly taskRunRepository: TaskRunRepository,
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  onModuleInit(): void {
    this.gate.registerTaskLeaseStore(this.taskRunRepository);
    this.gate.onSettled(({ tenantId, taskId }) => (taskId ? this.wake(tenantId, taskId) : undefined));
  }

  private async wake(tenantId: string, taskId: string): Promise<void> {
    await this.database.tenant({ tenantId }, (tx) => tx.execute(wakeTask, [tenantId, taskId]));
    this.wakeupChannel.publish(dueTopic, taskId);
  }
}

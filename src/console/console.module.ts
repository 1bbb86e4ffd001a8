import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { GateModule } from '../gate/gate.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { GraphiqlController } from './graphiql.controller.js';
import { ProblemsController } from './problems.controller.js';

@Module({
  imports: [AccessModule, ApprovalsModule, GateModule],
  controllers: [ProblemsController, GraphiqlController, ApprovalsController],
})
export class ConsoleModule {}

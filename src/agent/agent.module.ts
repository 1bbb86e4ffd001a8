import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { AgentService } from './agent.service.js';
import { SandboxKind } from './sandbox/sandbox.kind.js';

@Module({
  imports: [ConnectionsModule, GateModule],
  providers: [AgentService, SandboxKind],
  exports: [AgentService],
})
export class AgentModule {}

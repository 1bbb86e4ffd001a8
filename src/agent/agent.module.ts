import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { AgentService } from './agent.service.js';
import { SandboxConnector } from './sandbox/sandbox.connector.js';

@Module({
  imports: [ConnectionsModule, GateModule],
  providers: [AgentService, SandboxConnector],
  exports: [AgentService],
})
export class AgentModule {}

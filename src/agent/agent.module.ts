import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { AgentService } from './agent.service.js';

// its warnings would go to the console, past the log
globalThis.AI_SDK_LOG_WARNINGS = false;

@Module({
  imports: [ConnectionsModule, GateModule],
  providers: [AgentService],
  exports: [AgentService],
})
export class AgentModule {}

import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Rollups } from './reports/rollups.service.js';
import { SpendVendors } from './vendors.service.js';

/** What AI coding assistants cost and bring, per person and day. */
@Module({ imports: [AccessModule, AuditModule, ConnectionsModule], providers: [Rollups, SpendVendors] })
export class SpendModule {}

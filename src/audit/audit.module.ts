import { Global, Module } from '@nestjs/common';
import { AuditExportService } from './audit-export.service.js';
import { AuditHeadsService } from './audit-heads.service.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditTailService } from './audit-tail.service.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditService } from './audit.service.js';
import { SealedEventsService } from './sealed-events.service.js';
import { AuditRetentionScheduler } from './sealing/audit-retention-scheduler.service.js';
import { AuditSealerService } from './sealing/audit-sealer.service.js';
import { AuditSigningKeyService } from './sealing/audit-signing-key.service.js';

@Global()
@Module({
  providers: [
    AuditService,
    AuditLogService,
    AuditTailService,
    AuditHeadsService,
    AuditExportService,
    SealedEventsService,
    AuditSealerService,
    AuditRetentionScheduler,
    AuditSigningKeyService,
    AuditResolver,
  ],
  exports: [
    AuditService,
    AuditLogService,
    AuditTailService,
    AuditHeadsService,
    AuditExportService,
    SealedEventsService,
  ],
})
export class AuditModule {}

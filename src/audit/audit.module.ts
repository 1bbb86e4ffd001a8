import { Global, Module } from '@nestjs/common';
import { AuditLogService } from './audit-log.service.js';
import { AuditTailService } from './audit-tail.service.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditService } from './audit.service.js';

@Global()
@Module({
  providers: [AuditService, AuditLogService, AuditTailService, AuditResolver],
  exports: [AuditService, AuditLogService, AuditTailService],
})
export class AuditModule {}

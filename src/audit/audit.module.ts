import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit-log.service.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditService } from './audit.service.js';

@Global()
@Module({ providers: [AuditService, AuditLog, AuditResolver], exports: [AuditService, AuditLog] })
export class AuditModule {}

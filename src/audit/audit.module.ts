import { Global, Module } from '@nestjs/common';
import { AuditLog } from './audit-log.service.js';
import { AuditTail } from './audit-tail.service.js';
import { AuditResolver } from './audit.resolver.js';
import { AuditService } from './audit.service.js';

@Global()
@Module({ providers: [AuditService, AuditLog, AuditTail, AuditResolver], exports: [AuditService, AuditLog, AuditTail] })
export class AuditModule {}

import { AuditEvent } from './audit/audit-event.entity.js';

/** Every entity. */
export const entities = [AuditEvent];

import { statement } from '../../platform/database/statement.js';

export const openCriticalFinding = statement<[tenantId: string, id: string], { rule: string }>(`
  select rule from estate_findings
  where tenant_id = $1 and id = $2 and severity = 'critical' and resolved_at is null and dismissed_at is null`);

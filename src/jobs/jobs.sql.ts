import { statement } from '../platform/database/statement.js';
import { quarantinedJobColumns } from './jobs.system.sql.js';
import type { QuarantinedJob } from './quarantined-job.js';

export const quarantinedJobs = statement<[tenantId: string], QuarantinedJob>(
  `
  select ${quarantinedJobColumns} from suspect_jobs where tenant_id = $1 and quarantined_at is not null order by quarantined_at desc, id`,
  { neverNull: ['quarantinedAt'] },
);

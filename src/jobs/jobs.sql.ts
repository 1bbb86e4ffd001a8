import { quarantinedJobColumns } from './jobs.system.sql.js';

/** $1 tenant */
export const quarantinedJobs = `
  select ${quarantinedJobColumns} from suspect_jobs where tenant_id = $1 and quarantined_at is not null order by quarantined_at desc, id`;

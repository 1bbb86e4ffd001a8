import { Module } from '@nestjs/common';
import { JobsResolver } from './jobs.resolver.js';
import { JobQuarantineService } from './job-quarantine.service.js';

/** Reports quarantined background jobs to people, who release them. */
@Module({ providers: [JobQuarantineService, JobsResolver] })
export class JobsModule {}

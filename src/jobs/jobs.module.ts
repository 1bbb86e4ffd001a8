import { Module } from '@nestjs/common';
import { JobsResolver } from './jobs.resolver.js';
import { JobQuarantine } from './job-quarantine.service.js';

/** Reports quarantined background jobs to people, who release them. */
@Module({ providers: [JobQuarantine, JobsResolver] })
export class JobsModule {}

import { Module } from '@nestjs/common';
import { JobsResolver } from './jobs.resolver.js';
import { JobQuarantine } from './job-quarantine.service.js';

/** Background jobs that people have to know of: those in quarantine. */
@Module({ providers: [JobQuarantine, JobsResolver] })
export class JobsModule {}

import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { JobQuarantineService } from './job-quarantine.service.js';
import { RetryQuarantinedJobInput } from './jobs.input.js';
import { QuarantinedJob } from './quarantined-job.js';

@Resolver(() => QuarantinedJob)
@Authenticate('session', 'admin-token')
export class JobsResolver {
  constructor(private readonly quarantine: JobQuarantineService) {}

  @Query(() => [QuarantinedJob], { description: 'Background jobs that do not run again until somebody retries them.' })
  @Allow('connections:manage')
  quarantinedJobs(@CurrentPrincipal() principal: Principal) {
    return this.quarantine.list(principal);
  }

  @Mutation(() => QuarantinedJob, {
    description:
      'Releases a job from quarantine and runs it now. If it crashes another process, it is quarantined again.',
  })
  @Allow('connections:manage')
  retryQuarantinedJob(@CurrentPrincipal() principal: Principal, @Args('input') { id }: RetryQuarantinedJobInput) {
    return this.quarantine.retry(principal, id);
  }
}

import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { PolicyReplayPage, ReplayPolicyArgs } from './policy-replay.object.js';
import { PolicyReplayService } from './policy-replay.service.js';

/** For those who can read the arguments of calls: a text with conditions on arguments would reveal them. */
@Resolver(() => PolicyReplayPage)
@Authenticate('session')
@Allow('audit:read')
export class PolicyReplayResolver {
  constructor(private readonly replays: PolicyReplayService) {}

  @Query(() => PolicyReplayPage, {
    description:
      'Decides recorded calls of the configuration by the published revision and by the text, and returns every call whose verdict would change. Uses the current tools and groups. Repeat with "endCursor" until it is null. Needs a session, because conditions on arguments would reveal them.',
  })
  replayPolicy(@CurrentPrincipal() principal: Principal, @Args() args: ReplayPolicyArgs) {
    return this.replays.replay(principal, args);
  }
}

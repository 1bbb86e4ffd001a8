import {
  Args,
  Field,
  Float,
  GraphQLISODateTime,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AuditStream } from './audit-stream.entity.js';
import { AuditStreamInput, CreateAuditStreamInput, SetAuditStreamPausedInput } from './audit-streams.input.js';
import { AuditStreamsService } from './audit-streams.service.js';

@ObjectType()
export class CreatedAuditStream {
  @Field(() => AuditStream)
  stream: AuditStream;

  @Field(() => String, { nullable: true, description: 'Verifies the requests of a webhook. Shown only once.' })
  signingSecret: string | null;
}

@ObjectType({ description: 'Sealed events that a stream has not sent yet.' })
export class AuditStreamBacklog {
  @Field(() => Float)
  count: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The time of the oldest one.' })
  since: Date | null;
}

@Resolver(() => AuditStream)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class AuditStreamsResolver {
  private readonly backlogs: RequestLoader<Principal, AuditStreamBacklog, number>;

  constructor(private readonly streams: AuditStreamsService) {
    this.backlogs = new RequestLoader((principal, positions) => streams.findBacklogs(principal, positions));
  }

  @Query(() => [AuditStream])
  auditStreams(@CurrentPrincipal() principal: Principal) {
    return this.streams.list(principal);
  }

  @Mutation(() => CreatedAuditStream, { description: 'Requires a session.' })
  createAuditStream(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateAuditStreamInput) {
    return this.streams.create(principal, input);
  }

  @Mutation(() => AuditStream, { description: 'A paused stream continues at the same event. Requires a session.' })
  setAuditStreamPaused(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id, isPaused }: SetAuditStreamPausedInput,
  ) {
    return this.streams.setPaused(principal, id, isPaused);
  }

  @Mutation(() => AuditStream, { description: 'Makes the next attempt now. Requires a session.' })
  retryAuditStream(@CurrentPrincipal() principal: Principal, @Args('input') { id }: AuditStreamInput) {
    return this.streams.retry(principal, id);
  }

  @Mutation(() => AuditStream, {
    description: 'Continues a stopped stream after the event or head that its receiver rejects. Requires a session.',
  })
  skipAuditStreamEvent(@CurrentPrincipal() principal: Principal, @Args('input') { id }: AuditStreamInput) {
    return this.streams.skip(principal, id);
  }

  @Mutation(() => AuditStream, { description: 'Requires a session.' })
  removeAuditStream(@CurrentPrincipal() principal: Principal, @Args('input') { id }: AuditStreamInput) {
    return this.streams.remove(principal, id);
  }

  @ResolveField('backlog', () => AuditStreamBacklog)
  backlog(@CurrentPrincipal() principal: Principal, @Parent() stream: AuditStream) {
    return this.backlogs.load(principal, stream.position);
  }
}

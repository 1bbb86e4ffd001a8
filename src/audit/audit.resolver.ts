import { Args, Field, Float, GraphQLISODateTime, ID, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AuditEvent } from './audit-event.entity.js';
import { AuditFilter } from './audit-filter.js';
import { AuditHeadsService } from './audit-heads.service.js';
import { AuditLogService } from './audit-log.service.js';
import { SealedEventsService } from './sealed-events.service.js';

@ObjectType()
export class AuditEventConnection extends Paginated(AuditEvent) {}

@ObjectType({ description: 'A member or agent identity in the audit log. It may no longer exist.' })
export class AuditActor {
  @Field(() => ID)
  id: string;

  @Field({ description: 'member or agent' })
  kind: string;

  @Field({ description: 'The name from its latest event.' })
  name: string;
}

@ObjectType({
  description:
    'The newest signed head of the audit log. Store it outside of this server: later it shows whether events before it were changed.',
})
export class AuditSeal {
  @Field(() => Float, { description: 'The number of events that are sealed.' })
  size: number;

  @Field(() => GraphQLISODateTime)
  at: Date;

  @Field({ description: 'The root of the Merkle tree (RFC 6962), in hex.' })
  root: string;

  @Field(() => Float, { description: 'How many of these events retention has removed. Signed tombstones record this.' })
  removed: number;
}

@Resolver(() => AuditEvent)
@Authenticate('session', 'admin-token')
@Allow('audit:read')
export class AuditResolver {
  constructor(
    private readonly auditLog: AuditLogService,
    private readonly heads: AuditHeadsService,
    private readonly events: SealedEventsService,
  ) {}

  @Query(() => AuditEventConnection, { description: 'The audit log, newest first.' })
  auditEvents(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs, @Args() filter: AuditFilter) {
    return this.auditLog.list(principal, page, filter);
  }

  @Query(() => AuditEvent)
  auditEvent(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.auditLog.get(principal, id);
  }

  @Query(() => [String], { description: 'The kinds that have at least one event.' })
  auditKinds(@CurrentPrincipal() principal: Principal) {
    return this.auditLog.listKinds(principal);
  }

  @Query(() => [AuditActor], { description: 'Actors in the audit log, sorted by name, at most 1,000.' })
  auditActors(@CurrentPrincipal() principal: Principal) {
    return this.auditLog.listActors(principal);
  }

  @Query(() => AuditSeal, { nullable: true, description: 'Null: no event is sealed yet.' })
  async auditSeal(@CurrentPrincipal() principal: Principal): Promise<AuditSeal | null> {
    const head = await this.heads.findNewest(principal);
    if (!head) return null;
    const removed = await this.events.findStart(principal);
    return { size: head.size, at: head.at, root: head.root.toString('hex'), removed };
  }
}

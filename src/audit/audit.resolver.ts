import { Args, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AuditEvent } from './audit-event.entity.js';
import { AuditService } from './audit.service.js';

@ObjectType()
export class AuditEventConnection extends Paginated(AuditEvent) {}

@Resolver(() => AuditEvent)
@Authenticate('session', 'admin-token')
export class AuditResolver {
  constructor(private readonly audit: AuditService) {}

  @Query(() => AuditEventConnection, { description: 'The audit log, newest first.' })
  @Allow('audit:read')
  auditEvents(
    @CurrentPrincipal() principal: Principal,
    @Args() page: PageArgs,
    @Args('kind', { type: () => String, nullable: true }) kind?: string | null,
  ) {
    return this.audit.list(principal, page, kind);
  }
}

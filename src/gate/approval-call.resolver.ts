import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallExhibit } from './call-exhibit.entity.js';
import { CallsService } from './calls.service.js';

/** What an approval is about is known up here. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalCallResolver {
  constructor(private readonly calls: CallsService) {}

  @ResolveField(() => CallExhibit, { description: 'What is to be decided on.' })
  @Allow('approvals:decide')
  call(@CurrentPrincipal() principal: Principal, @Parent() { id }: Approval) {
    return this.calls.exhibit(principal, id);
  }
}

import { ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import type { ResourceKind } from '../configuration-file.js';
import { ResourceKindEnum } from '../enums.js';
import { EstateEntry } from './estate-entry.entity.js';

/** The name of an entry in the list of resource kinds. */
@Resolver(() => EstateEntry)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateEntryResolver {
  @ResolveField(() => ResourceKindEnum)
  kind(): ResourceKind {
    return 'mcp_server_deployment';
  }
}

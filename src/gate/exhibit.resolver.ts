import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallExhibit } from './call-exhibit.entity.js';
import { ExhibitConnection } from './exhibit-surroundings.entity.js';
import { ExhibitSurroundings } from './exhibit-surroundings.service.js';

/** For whoever the exhibit was shown to: what its ids stand for. */
@Resolver(() => CallExhibit)
@Authenticate('session')
@Allow('approvals:decide')
export class ExhibitResolver {
  constructor(private readonly surroundings: ExhibitSurroundings) {}

  @ResolveField(() => String, { nullable: true, description: 'The name of the configuration; null: it is gone.' })
  configurationName(@CurrentPrincipal() principal: Principal, @Parent() exhibit: CallExhibit) {
    return this.surroundings.configurationName(principal, exhibit);
  }

  @ResolveField(() => ExhibitConnection, { nullable: true, description: 'Null for what the product does by itself.' })
  connection(@CurrentPrincipal() principal: Principal, @Parent() exhibit: CallExhibit) {
    return this.surroundings.connection(principal, exhibit);
  }
}

import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AdminSearchService } from './admin-search.service.js';
import { SearchKnowledgeInput } from './knowledge.input.js';
import { KnowledgeSearch } from './passage.entity.js';

@Resolver(() => KnowledgeSearch)
@Authenticate('session', 'admin-token')
export class SearchResolver {
  constructor(private readonly searches: AdminSearchService) {}

  @Query(() => KnowledgeSearch, { description: 'What would be found, and why it ranks as it does.' })
  @Allow('knowledge:manage')
  searchKnowledge(@CurrentPrincipal() principal: Principal, @Args('input') input: SearchKnowledgeInput) {
    return this.searches.search(principal, input);
  }
}

import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AdminSearchService } from './admin-search.service.js';
import { KnowledgeDocument } from './document.entity.js';
import { DocumentsService } from './documents.service.js';
import { ReadKnowledgeInput, SearchKnowledgeInput } from './knowledge.input.js';
import { KnowledgeText } from './knowledge-text.js';
import { KnowledgePassage, KnowledgeSearch } from './passage.entity.js';

@Resolver(() => KnowledgePassage)
@Authenticate('session', 'admin-token')
export class SearchResolver {
  constructor(
    private readonly searches: AdminSearchService,
    private readonly documents: DocumentsService,
  ) {}

  @Query(() => KnowledgeSearch, { description: 'Searches the documents and explains the ranking.' })
  @Allow('knowledge:manage')
  searchKnowledge(@CurrentPrincipal() principal: Principal, @Args('input') input: SearchKnowledgeInput) {
    return this.searches.search(principal, input);
  }

  @Query(() => KnowledgeText, { description: 'Reads the text of a document that the reader may see.' })
  @Allow('knowledge:manage')
  readKnowledge(@CurrentPrincipal() principal: Principal, @Args('input') input: ReadKnowledgeInput) {
    return this.searches.read(principal, input);
  }

  @ResolveField(() => KnowledgeDocument, {
    nullable: true,
    description: 'The document of the passage, with its readers.',
  })
  @Allow('knowledge:manage')
  document(@CurrentPrincipal() principal: Principal, @Parent() { documentId }: KnowledgePassage) {
    return this.documents.find(principal, documentId);
  }
}

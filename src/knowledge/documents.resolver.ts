import { Args, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { KnowledgeDocument } from './document.entity.js';
import { DocumentsService } from './documents.service.js';
import { DeleteDocumentInput } from './knowledge.input.js';

@ObjectType()
export class KnowledgeDocumentConnection extends Paginated(KnowledgeDocument) {}

@Resolver(() => KnowledgeDocument)
@Authenticate('session', 'admin-token')
export class DocumentsResolver {
  constructor(private readonly documents: DocumentsService) {}

  @Query(() => KnowledgeDocumentConnection, { description: 'Documents of a source, by their names in it.' })
  @Allow('knowledge:manage')
  knowledgeDocuments(
    @CurrentPrincipal() principal: Principal,
    @IdArgument('connectionId') connectionId: string,
    @Args() page: PageArgs,
  ) {
    return this.documents.list(principal, connectionId, page);
  }

  @Query(() => KnowledgeDocument, { nullable: true })
  @Allow('knowledge:manage')
  knowledgeDocument(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.documents.find(principal, id);
  }

  @Mutation(() => KnowledgeDocument, {
    description: 'Removes a document that was pushed. Others would come back; remove them in their source.',
  })
  @Allow('knowledge:manage')
  deleteDocument(@CurrentPrincipal() principal: Principal, @Args('input') input: DeleteDocumentInput) {
    return this.documents.remove(principal, input.id);
  }

  @ResolveField(() => [ID], {
    nullable: true,
    description: 'Groups that may read it; null: everybody who may use its connection.',
  })
  @Allow('knowledge:manage')
  groupIds(@CurrentPrincipal() principal: Principal, @Parent() document: KnowledgeDocument) {
    return this.documents.groupIdsOf(principal, document);
  }
}

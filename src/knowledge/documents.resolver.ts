import { Args, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, AllowAdminToken, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { KnowledgeDocument } from './document.entity.js';
import { DocumentsService } from './documents.service.js';
import { DeleteDocumentInput, RetryQuarantinedDocumentInput } from './knowledge.input.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { QuarantinedDocument } from './quarantined-document.js';

@ObjectType()
export class KnowledgeDocumentConnection extends Paginated(KnowledgeDocument) {}

@Resolver(() => KnowledgeDocument)
@Authenticate('session', 'admin-token')
export class DocumentsResolver {
  constructor(
    private readonly documents: DocumentsService,
    private readonly quarantine: DocumentQuarantineService,
  ) {}

  @Query(() => KnowledgeDocumentConnection, {
    description: 'Documents of a source, sorted by their names in the source.',
  })
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

  @AllowAdminToken()
  @Mutation(() => KnowledgeDocument, {
    description: 'Removes a pushed document. Remove other documents in their source: a sync would restore them here.',
  })
  @Allow('knowledge:manage')
  deleteDocument(@CurrentPrincipal() principal: Principal, @Args('input') input: DeleteDocumentInput) {
    return this.documents.remove(principal, input.id);
  }

  @Query(() => [QuarantinedDocument], { description: 'Documents of a source that are not read again automatically.' })
  @Allow('knowledge:manage')
  quarantinedDocuments(@CurrentPrincipal() principal: Principal, @IdArgument('connectionId') connectionId: string) {
    return this.quarantine.list(principal, connectionId);
  }

  @Mutation(() => QuarantinedDocument, {
    description:
      'Releases a document from quarantine. A synced document is read again now, a pushed one when it is pushed again.',
  })
  @Allow('knowledge:manage')
  retryQuarantinedDocument(
    @CurrentPrincipal() principal: Principal,
    @Args('input') { id }: RetryQuarantinedDocumentInput,
  ) {
    return this.quarantine.retry(principal, id);
  }

  @ResolveField(() => [ID], {
    nullable: true,
    description: 'Groups that may read it. Null means everyone who may use its connection.',
  })
  @Allow('knowledge:manage')
  groupIds(@CurrentPrincipal() principal: Principal, @Parent() document: KnowledgeDocument) {
    return this.documents.listReaderGroupIds(principal, document);
  }
}

import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import type { ReadKnowledgeInput, SearchKnowledgeInput } from './knowledge.input.js';
import { memberOf } from './member-of.js';
import { SearchService, type SearchResult, type KnowledgeReader, type DocumentExcerpt } from './search.service.js';
import { SourcesService } from './sources.service.js';

/**
 * Lets administrators try search and read. Their own groups decide what they see, unless they act as other groups,
 * which is recorded in the audit log.
 */
@Injectable()
export class AdminSearchService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly sources: SourcesService,
    private readonly knowledge: SearchService,
  ) {}

  async search(
    principal: Principal,
    { query, connectionIds, asGroups, ...filters }: SearchKnowledgeInput,
  ): Promise<SearchResult> {
    const reader = await this.readerOf(principal, asGroups);
    if (connectionIds) reader.connectionIds = reader.connectionIds.filter((id) => connectionIds.includes(id));
    if (asGroups) await this.recordAccess(principal, 'knowledge.searched_as_others', { groupIds: asGroups });
    const { limit, kind, container, author, changedSince, changedBefore } = filters;
    return this.knowledge.search(principal, reader, {
      query,
      limit: limit ?? undefined,
      kind: kind ?? undefined,
      container: container ?? undefined,
      author: author ?? undefined,
      changedSince: changedSince ?? undefined,
      changedBefore: changedBefore ?? undefined,
      withLinked: true,
    });
  }

  async read(principal: Principal, { documentId, from, asGroups }: ReadKnowledgeInput): Promise<DocumentExcerpt> {
    const reader = await this.readerOf(principal, asGroups);
    if (asGroups) await this.recordAccess(principal, 'knowledge.read_as_others', { groupIds: asGroups, documentId });
    return this.knowledge.read(principal, reader, documentId, from ?? undefined);
  }

  private async readerOf(principal: Principal, asGroups?: string[] | null): Promise<KnowledgeReader> {
    if (asGroups) requireSession(principal); // a token cannot read as other groups
    const sources = await this.sources.list(principal);
    return {
      connectionIds: sources.map((source) => source.connectionId),
      // the permissions of another member in a source cannot be used
      memberId: asGroups ? null : memberOf(principal),
      groups: asGroups ?? (principal.memberId ? await this.members.listGroupIds(principal, principal.memberId) : []),
    };
  }

  private recordAccess(principal: Principal, kind: string, detail: Record<string, unknown>): Promise<void> {
    return this.database.tenant(principal, (tx) => this.audit.record(tx, principal, { kind, detail }));
  }
}

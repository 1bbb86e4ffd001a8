import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { Database } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import type { SearchKnowledgeInput } from './knowledge.input.js';
import { SearchService, type Found } from './search.service.js';
import { SourcesService } from './sources.service.js';

/** Trying a search out. An administrator's own groups decide what is seen, unless the search is made on behalf of others, which is recorded. */
@Injectable()
export class AdminSearchService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly sources: SourcesService,
    private readonly knowledge: SearchService,
  ) {}

  async search(
    principal: Principal,
    { query, limit, kind, connectionIds, asGroups }: SearchKnowledgeInput,
  ): Promise<Found> {
    const everywhere = (await this.sources.list(principal)).map((source) => source.connectionId);
    const reader = {
      connectionIds: connectionIds ? everywhere.filter((id) => connectionIds.includes(id)) : everywhere,
      groups: asGroups ?? (principal.memberId ? await this.members.groupsOf(principal, principal.memberId) : []),
    };
    if (asGroups) {
      requireSession(principal); // a program with a token looks through nobody's eyes
      await this.database.tenant(principal, (tx) =>
        this.audit.record(tx, principal, { kind: 'knowledge.searched_as_others', detail: { groupIds: asGroups } }),
      );
    }
    return this.knowledge.search(principal, reader, { query, limit: limit ?? undefined, kind: kind ?? undefined });
  }
}

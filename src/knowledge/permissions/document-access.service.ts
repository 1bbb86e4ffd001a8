import { Injectable } from '@nestjs/common';
import { MembersService } from '../../access/members.service.js';
import { Connection } from '../../connections/connection.entity.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { documentNotFound } from '../knowledge.error.js';
import { groupNamesOf, groupsByName } from '../reader-groups.js';
import {
  type AudienceRow,
  findAudience,
  findDocumentReaders,
  listAccountsOfMember,
  listMembershipPaths,
  type MembershipPath,
} from './access-explanation.sql.js';
import type { DocumentAccess } from './document-access.object.js';
import { listReadableAudiences } from './readable-audiences.sql.js';
import { maxRosterAgeHours, SourceRoster } from './roster.entity.js';

type SourceAccess = Pick<DocumentAccess, 'audience' | 'accounts' | 'paths' | 'rosterReadAt'> & { obstacles: string[] };

/** Explains why a member can or cannot read a document. */
@Injectable()
export class DocumentAccessService {
  constructor(
    private readonly database: DatabaseService,
    private readonly members: MembersService,
  ) {}

  explain(principal: Principal, documentId: string, memberId: string): Promise<DocumentAccess> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const readers = await tx.one(findDocumentReaders, [tenantId, documentId]);
      if (!readers) throw documentNotFound('The document does not exist.');
      const { connectionId, audienceId } = readers;
      const member = await this.members.find(principal, memberId, tx);
      const own = member ? await this.members.listGroupIds(principal, memberId, tx) : [];
      const connection = await tx.findOneByOrFail(Connection, { tenantId, id: connectionId });
      const allowed = await this.groupsOf(tx, connection);
      const groupIds = readers.groupIds ?? allowed;
      const sharedGroupIds = groupIds?.filter((id) => own.includes(id)) ?? [];
      const source = audienceId ? await this.explainSource(tx, tenantId, connectionId, audienceId, memberId) : null;
      const obstacles = [
        ...(member?.status === 'active' ? [] : ['The member is not active.']),
        ...connectionObstacles(connection),
        ...groupObstacles(readers.groupIds, allowed, own),
        ...(source?.obstacles ?? []),
      ];
      return {
        isPermitted: !obstacles.length,
        obstacles,
        groupIds,
        sharedGroupIds,
        hasAudience: audienceId !== null,
        audience: source?.audience ?? null,
        accounts: source?.accounts ?? [],
        paths: source?.paths ?? [],
        rosterReadAt: source?.rosterReadAt ?? null,
      };
    });
  }

  /** A restriction of the connection applies at once, before a sync moves the documents. Null: not restricted. */
  private async groupsOf(tx: Tx, { tenantId, settings }: Connection): Promise<string[] | null> {
    const named = groupNamesOf(settings);
    return named && [...((await groupsByName(tx, tenantId))(named).groups ?? [])];
  }

  private async explainSource(
    tx: Tx,
    tenantId: string,
    connectionId: string,
    audienceId: string,
    memberId: string,
  ): Promise<SourceAccess> {
    const audience = await tx.one(findAudience, [tenantId, connectionId, audienceId]);
    const roster = await tx.findOneBy(SourceRoster, { tenantId, connectionId });
    const accounts = await tx.run(listAccountsOfMember, [tenantId, [connectionId], memberId]);
    const paths = await tx.run(listMembershipPaths, [tenantId, [connectionId], memberId, audienceId]);
    // the statement of the search decides; the other rows explain its result
    const readable = await tx.run(listReadableAudiences, [tenantId, [connectionId], memberId]);
    const isReadable = readable.some(({ id }) => id === audienceId);
    const reasons = isReadable ? [] : obstaclesOf(audience, roster, accounts.length, paths);
    return {
      audience,
      accounts,
      paths,
      rosterReadAt: roster?.completeAt ?? null,
      obstacles: isReadable || reasons.length ? reasons : ['The permissions of the source have just changed.'],
    };
  }
}

const connectionObstacles = ({ pausedAt, removedAt }: Connection): string[] => [
  ...(removedAt ? ['The integration was removed.'] : []),
  ...(pausedAt ? ['The integration is paused.'] : []),
];

/** As in a search, the member has to be in one of the groups of each. It may be another one. */
function groupObstacles(
  ofDocument: readonly string[] | null,
  ofConnection: readonly string[] | null,
  own: readonly string[],
): string[] {
  const isIn = (groupIds: readonly string[] | null) => groupIds === null || groupIds.some((id) => own.includes(id));
  const isImplied = !isIn(ofDocument) && ofConnection?.every((id) => ofDocument?.includes(id));
  return [
    ...(isIn(ofDocument) ? [] : ['The member is in none of the groups that may read the document.']),
    ...(isIn(ofConnection) || isImplied
      ? []
      : ['The member is in none of the groups to which the integration is restricted.']),
  ];
}

function obstaclesOf(
  audience: AudienceRow | null,
  roster: SourceRoster | null,
  accountCount: number,
  paths: readonly MembershipPath[],
): string[] {
  if (!roster?.completeAt) return ['The permissions of the source have not been read yet.'];
  if (roster.isExpired)
    return [`The permissions of the source were last read more than ${maxRosterAgeHours} hours ago.`];
  if (!audience) return ['The source does not list the audience that the document names.'];
  if (audience.readers === 'unreadable') return ['The source does not disclose who may read the document.'];
  if (audience.readers === 'everyone') return [];
  if (!accountCount) return ['No account of the source belongs to the member.'];
  // one account has to be in every set
  const setsOfAccounts = [...Map.groupBy(paths, ({ account }) => account).values()];
  const most = Math.max(0, ...setsOfAccounts.map((own) => new Set(own.map(({ set }) => set)).size));
  const missing = audience.setCount - most;
  return missing > 0
    ? [`No account of the member meets all conditions of the source: ${missing} of ${audience.setCount} are not met.`]
    : [];
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MemberRemovalHookRegistry } from '../../access/member-removal-hook-registry.service.js';
import { MembersService } from '../../access/members.service.js';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { conflict, notFound } from '../../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import {
  assignAccount,
  type ClosedAudience,
  countUnmatchedAccounts,
  deleteAssignment,
  deleteAssignmentsOfMember,
  findSourceAccount,
  listClosedAudiences,
  listSourceAccounts,
} from './source-accounts.sql.js';
import type {
  AssignSourceAccountInput,
  ResetSourceAccountInput,
  SourceAccountsArgs,
  SourceAccountView,
} from './source-account.object.js';

const maxClosedAudiences = 100;

/** Assigns accounts of a source to members, and lists the audiences that grant access to no one. */
@Injectable()
export class SourceAccountsService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly removalHooks: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.removalHooks.register(async (tx, { tenantId }, memberId) => {
      await tx.execute(deleteAssignmentsOfMember, [tenantId, memberId]);
    });
  }

  list(principal: Principal, args: SourceAccountsArgs): Promise<Page<SourceAccountView>> {
    const { connectionId, first, after, isMatched = null, search = null } = args;
    const name = after ? decodeCursor(after, ['text'])[0] : null;
    return this.database.tenant(principal, async (tx) => {
      const params = [principal.tenantId, connectionId, isMatched, search, name, first + 1] as const;
      const rows = await tx.run(listSourceAccounts, params);
      return toPage<SourceAccountView>(rows, first, rows[0]?.total ?? 0, ({ externalId }) => [externalId]);
    });
  }

  listClosedAudiences({ tenantId }: Principal, connectionId: string): Promise<ClosedAudience[]> {
    return this.database.tenant({ tenantId }, (tx) =>
      tx.run(listClosedAudiences, [tenantId, connectionId, maxClosedAudiences]),
    );
  }

  async countUnmatched({ tenantId }: Principal, connectionId: string): Promise<number> {
    const [{ count }] = await this.database.tenant({ tenantId }, (tx) =>
      tx.run(countUnmatchedAccounts, [tenantId, connectionId]),
    );
    return count;
  }

  /** Throws `conflict` if the account has the verified address of another member, to protect that member's access. */
  assign(principal: Principal, input: AssignSourceAccountInput): Promise<SourceAccountView> {
    const { memberId: assignedBy } = requireSession(principal);
    const { connectionId, accountId, memberId = null } = input;
    return this.change(principal, input, 'source_account.assigned', async (tx, account) => {
      const { tenantId } = principal;
      if (memberId && !(await this.members.isActive(principal, memberId, tx)))
        throw notFound('There is no such member.');
      const { verifiedIds } = account;
      if (memberId && verifiedIds.length && !verifiedIds.includes(memberId))
        throw conflict('This account belongs to another member by its verified email address.');
      await tx.execute(assignAccount, [tenantId, connectionId, accountId, memberId, assignedBy]);
      return { memberId };
    });
  }

  /** Removes the assignment. The email address decides again. */
  reset(principal: Principal, input: ResetSourceAccountInput): Promise<SourceAccountView> {
    requireSession(principal);
    return this.change(principal, input, 'source_account.reset', async (tx, { memberId }) => {
      await tx.execute(deleteAssignment, [principal.tenantId, input.connectionId, input.accountId]);
      return { memberId };
    });
  }

  private change(
    principal: Principal,
    { connectionId, accountId }: ResetSourceAccountInput,
    kind: string,
    apply: (tx: Tx, account: SourceAccountView & { verifiedIds: string[] }) => Promise<Record<string, unknown>>,
  ): Promise<SourceAccountView> {
    const id = [principal.tenantId, connectionId, accountId] as const;
    return this.database.tenant(principal, async (tx) => {
      const account = await tx.one(findSourceAccount, id);
      if (!account) throw notFound('The source has no such account.');
      const detail = await apply(tx, account);
      await this.audit.record(tx, principal, {
        kind,
        subject: { type: 'source_account', id: accountId, name: account.name },
        detail: { connectionId, externalId: account.externalId, ...detail },
      });
      return (await tx.one(findSourceAccount, id))!;
    });
  }
}

import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Group } from '../access/group.entity.js';
import { Member } from '../access/member.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { ApprovalPerson, ApprovalVote } from './approval-person.entity.js';
import type { Approval } from './approval.entity.js';

/**
 * Names of the people and groups in approvals. Everyone who can see an approval can see who requested and decided it.
 */
@Injectable()
export class ApprovalPeopleService {
  constructor(private readonly database: DatabaseService) {}

  requesters({ tenantId, requesters }: Approval): Promise<ApprovalPerson[]> {
    return Promise.all(requesters.map((id) => this.personBatcher.submit({ tenantId, id })));
  }

  async decider({ tenantId, decidedBy }: Approval): Promise<ApprovalPerson | null> {
    return decidedBy ? this.personBatcher.submit({ tenantId, id: decidedBy }) : null;
  }

  approvedBy({ tenantId, approvedBy, approvedFor }: Approval): Promise<ApprovalVote[]> {
    return Promise.all(
      approvedBy.map(async (id, nth) => ({
        ...(await this.load(tenantId, id)),
        substituteFor: approvedFor[nth] === id ? null : await this.load(tenantId, approvedFor[nth]),
      })),
    );
  }

  async deciderFor({ tenantId, decidedFor }: Approval): Promise<ApprovalPerson | null> {
    return decidedFor ? this.load(tenantId, decidedFor) : null;
  }

  load(tenantId: string, id: string): Promise<ApprovalPerson> {
    return this.personBatcher.submit({ tenantId, id });
  }

  async groupName({ tenantId, approverGroupId: id }: Approval): Promise<string | null> {
    return id ? this.groupNameBatcher.submit({ tenantId, id }) : null;
  }

  async escalationGroupName({ tenantId, escalationGroupId: id }: Approval): Promise<string | null> {
    return id ? this.groupNameBatcher.submit({ tenantId, id }) : null;
  }

  private readonly personBatcher = new Batcher<{ tenantId: string; id: string }, ApprovalPerson>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const ids = keys.map(({ id }) => id);
      const members = await tx.findBy(Member, { tenantId, id: In(ids) });
      const names = new Map(members.map(({ id, name }) => [id, name]));
      return ids.map((id) => ({ id, name: names.get(id) ?? null }));
    }),
  );

  private readonly groupNameBatcher = new Batcher<{ tenantId: string; id: string }, string | null>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const groups = await tx.findBy(Group, { tenantId, id: In(keys.map(({ id }) => id)) });
      const names = new Map(groups.map(({ id, name }) => [id, name]));
      return keys.map(({ id }) => names.get(id) ?? null);
    }),
  );
}

import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import { Group } from '../access/group.entity.js';
import { Member } from '../access/member.entity.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { Connection } from '../connections/connection.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import type { Principal } from '../principal/principal.js';
import { Bundles } from './bundles.service.js';
import { type Vocabulary, vocabularyTool } from './check.js';
import { readPolicies } from './policy.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Collects what the policies of one configuration can speak of. */
@Injectable()
export class VocabularyService {
  constructor(
    private readonly bundles: Bundles,
    private readonly tools: ToolsService,
    private readonly steps: ApprovalStepsService,
  ) {}

  /** `text`: members are looked up only where it names them. */
  async of(tx: EntityManager, principal: Principal, configurationId: string, text = ''): Promise<Vocabulary> {
    const { tenantId } = principal;
    const { connectionIds, agentIds } = await this.bundles.of(tx, tenantId, configurationId);
    const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
    const connected = await tx.find(Connection, {
      where: { tenantId, id: In(connectionIds), removedAt: IsNull() },
      select: { slug: true },
    });
    const groups = await tx.find(Group, {
      where: { tenantId },
      select: { id: true, name: true },
      order: { name: 'asc' },
    });
    const steps = await this.steps.all(tx, tenantId);
    return {
      tools: offered.map(vocabularyTool),
      connections: [
        ...new Set(
          [...offered, ...connected.map(({ slug }) => ({ connectionSlug: slug }))].map((one) => one.connectionSlug),
        ),
      ].sort(),
      groups: groups.map(({ id, name }) => ({ id, name })),
      agents: agentIds,
      members: await membersNamed(tx, tenantId, text),
      steps: steps.map(({ name }) => name),
    };
  }
}

async function membersNamed(tx: EntityManager, tenantId: string, text: string): Promise<string[]> {
  const named = readPolicies(text).policies.flatMap(({ entities }) => entities.filter(({ type }) => type === 'Member'));
  const ids = named.map(({ id }) => id).filter((id) => uuid.test(id));
  if (!ids.length) return [];
  const found = await tx.find(Member, {
    where: { tenantId, id: In(ids), status: Not('removed') },
    select: { id: true },
  });
  return found.map(({ id }) => id);
}

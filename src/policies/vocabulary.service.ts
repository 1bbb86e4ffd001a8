import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { Group } from '../access/group.entity.js';
import { Member } from '../access/member.entity.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import { Connection } from '../connections/connection.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import type { Principal } from '../principal/principal.js';
import { ConfigurationPartsRegistry } from './configuration-parts-registry.service.js';
import { type Vocabulary, toVocabularyTool } from './check.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Collects the names that the policies of one configuration can use. */
@Injectable()
export class VocabularyService {
  constructor(
    private readonly configurationPartsRegistry: ConfigurationPartsRegistry,
    private readonly tools: ToolsService,
    private readonly steps: ApprovalStepsService,
  ) {}

  /** `members`: ids in the text. Omits ids of members that do not exist. */
  async load(
    tx: Tx,
    principal: Principal,
    configurationId: string,
    members: readonly string[] = [],
  ): Promise<Vocabulary> {
    const { tenantId } = principal;
    const { connectionIds, agentIds } = await this.configurationPartsRegistry.load(tx, tenantId, configurationId);
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
    const steps = await this.steps.listIn(tx, tenantId);
    return {
      tools: offered.map(toVocabularyTool),
      connections: [
        ...new Set(
          [...offered, ...connected.map(({ slug }) => ({ connectionSlug: slug }))].map((one) => one.connectionSlug),
        ),
      ].sort(),
      groups: groups.map(({ id, name }) => ({ id, name })),
      agents: agentIds,
      members: await filterExistingMembers(tx, tenantId, members),
      steps: steps.map(({ name }) => name),
    };
  }
}

async function filterExistingMembers(tx: Tx, tenantId: string, named: readonly string[]): Promise<string[]> {
  const ids = named.filter((id) => uuid.test(id));
  if (!ids.length) return [];
  const found = await tx.find(Member, {
    where: { tenantId, id: In(ids), status: Not('removed') },
    select: { id: true },
  });
  return found.map(({ id }) => id);
}

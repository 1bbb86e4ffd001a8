import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { Database } from '../platform/database/database.service.js';
import { DecisionsService } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { configurationNotFound } from './configurations.error.js';
import { ConfigurationsService } from './configurations.service.js';

/** As an agent card lists it. */
export interface Skill {
  id: string;
  name: string;
  description: string;
  tags: string[];
}

@Injectable()
export class SkillsService {
  constructor(
    private readonly database: Database,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** One for each tool that the policies could allow this principal, or send to approval. What is paused is not offered. */
  skills(principal: Principal, configurationId: string): Promise<Skill[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const bundle = await this.configurations.bundle(tx, tenantId, configurationId);
      if (!bundle) throw configurationNotFound('There is no such configuration.');
      const { connectionIds, groupIds } = bundle;
      const groups = principal.memberId ? await this.members.groupsOf(principal, principal.memberId, tx) : groupIds;
      const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
      const usable = offered.filter(({ paused, heldBack }) => !paused && !heldBack);
      const policies = await this.decisions.published(tx, tenantId, configurationId);
      return usable.flatMap((tool) => {
        const verdict = this.decisions.couldAllow({ policies, principal, groups, tool });
        return verdict === 'deny' ? [] : [skillOf(tool, verdict)];
      });
    });
  }
}

const skillOf = (
  { name, title, description, connectionSlug, effect }: OfferedTool,
  verdict: 'allow' | 'approval',
): Skill => ({
  id: name,
  name: title || name,
  description,
  tags: [connectionSlug, effect, ...(verdict === 'approval' ? ['needs-approval'] : [])],
});

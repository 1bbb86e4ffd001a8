import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MembersService } from '../access/members.service.js';
import { isCallable, type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { Inquiry } from '../platform/database/inquiry.js';
import { DecisionsService } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import type { Configuration } from './configuration.entity.js';
import { configurationNotFound } from './configurations.error.js';
import { ConfigurationsService } from './configurations.service.js';

/** What a caller may have a configuration do. */
export interface Offering {
  configuration: Configuration;
  skills: Skill[];
}

/** As an agent card lists it. */
export interface Skill {
  id: string;
  name: string;
  description: string;
  tags: string[];
}

interface Asked {
  tenantId: string;
  principal: Principal;
  configurationId: string;
}

@Injectable()
export class SkillsService {
  /** Callers that ask together are answered from one look at the tables; nothing is kept for the next. */
  private readonly looking = new Gather<Asked, Offering | null>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const inquiry = new Inquiry(tx);
      const offerings: (Offering | null)[] = [];
      for (const { principal, configurationId } of asked)
        offerings.push(
          await inquiry.once([configurationId, who(principal)], () => this.look(tx, principal, configurationId)),
        );
      return offerings;
    }),
  );

  constructor(
    private readonly database: Database,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** One for each tool that the policies could allow this principal, or send to approval. What is paused is not offered. */
  async offering(principal: Principal, configurationId: string): Promise<Offering> {
    const offering = await this.looking.ask({ tenantId: principal.tenantId, principal, configurationId });
    if (!offering) throw configurationNotFound('There is no such configuration.');
    return offering;
  }

  private async look(tx: EntityManager, principal: Principal, configurationId: string): Promise<Offering | null> {
    const { tenantId } = principal;
    const bundle = await this.configurations.bundle(tx, tenantId, configurationId);
    if (!bundle) return null;
    const { configuration, connectionIds, groupIds } = bundle;
    const groups = principal.memberId ? await this.members.groupsOf(principal, principal.memberId, tx) : groupIds;
    const offered = await this.tools.list(principal, { configurationId, connectionIds, tx });
    const policies = await this.decisions.published(tx, tenantId, configurationId);
    const skills = offered.flatMap((tool) => {
      if (!isCallable(tool) || tool.paused || tool.heldBack) return [];
      const verdict = this.decisions.couldAllow({ policies, principal, groups, tool });
      return verdict === 'deny' ? [] : [skillOf(tool, verdict)];
    });
    return { configuration, skills };
  }
}

/** Everything that an answer may depend on. */
const who = ({ permissions: _, requestId: __, ...rest }: Principal) => rest;

const skillOf = (
  { name, title, description, connectionSlug, effect }: OfferedTool,
  verdict: 'allow' | 'approval',
): Skill => ({
  id: name,
  name: title || name,
  description,
  tags: [connectionSlug, effect, ...(verdict === 'approval' ? ['needs-approval'] : [])],
});

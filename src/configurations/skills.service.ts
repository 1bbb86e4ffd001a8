import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MembersService } from '../access/members.service.js';
import { isCallable, type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import { DecisionsService, type PublishedPolicies } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import type { Configuration } from './configuration.entity.js';
import { configurationNotFound } from './configurations.error.js';
import { type ConfigurationBundle, ConfigurationsService } from './configurations.service.js';

/** What a caller may have a configuration do. */
export interface ConfigurationSkills {
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

/** What the tables say about a configuration. */
interface ConfigurationSnapshot {
  bundle: ConfigurationBundle;
  policies: PublishedPolicies;
  toolsFingerprint: string;
}

interface SkillsRequest {
  tenantId: string;
  principal: Principal;
  configurationId: string;
}

@Injectable()
export class SkillsService {
  /** Callers that ask together are answered from one look at the tables; nothing is kept for the next. */
  private readonly skillsBatcher = new Batcher<SkillsRequest, ConfigurationSkills | null>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const inquiry = new TransactionCache(tx);
      const find = await this.loadSnapshots(tx, tenantId, [
        ...new Set(asked.map(({ configurationId }) => configurationId)),
      ]);
      const offerings: (ConfigurationSkills | null)[] = [];
      for (const { principal, configurationId } of asked)
        offerings.push(
          await inquiry.getOrLoad([configurationId, principalCacheKey(principal)], () =>
            this.skillsOf(tx, principal, find(configurationId)),
          ),
        );
      return offerings;
    }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** One for each tool that the policies could allow this principal, or send to approval. What is paused is not offered. */
  async list(principal: Principal, configurationId: string): Promise<ConfigurationSkills> {
    const offering = await this.skillsBatcher.submit({ tenantId: principal.tenantId, principal, configurationId });
    if (!offering) throw configurationNotFound('There is no such configuration.');
    return offering;
  }

  /** What the tables say about these configurations, in a fixed number of statements. */
  private async loadSnapshots(tx: EntityManager, tenantId: string, ids: readonly string[]) {
    const bundles = await this.configurations.findBundles(tx, tenantId, ids);
    const policies = await this.decisions.loadPublishedOf(tx, tenantId, ids);
    const prints = await this.configurations.toolsFingerprintsOf(tx, tenantId, ids);
    return (id: string): ConfigurationSnapshot | null => {
      const bundle = bundles.get(id);
      return bundle ? { bundle, policies: policies.get(id)!, toolsFingerprint: prints.get(id)! } : null;
    };
  }

  /** One statement more where a tool of the configuration has changed since its tools were last read. */
  private async skillsOf(
    tx: EntityManager,
    principal: Principal,
    snapshot: ConfigurationSnapshot | null,
  ): Promise<ConfigurationSkills | null> {
    if (!snapshot) return null;
    const { bundle, policies, toolsFingerprint } = snapshot;
    const { configuration, connectionIds, groupIds } = bundle;
    const groups = principal.memberId ? await this.members.listGroupIds(principal, principal.memberId, tx) : groupIds;
    const tools = { configurationId: configuration.id, connectionIds, toolsFingerprint, tx };
    const offered = await this.tools.list(principal, tools);
    const skills = offered.flatMap((tool) => {
      if (!isCallable(tool) || tool.isPaused || tool.isPendingReview) return [];
      const verdict = this.decisions.couldAllow({ policies, principal, groups, tool });
      return verdict === 'deny' ? [] : [skillOf(tool, verdict)];
    });
    return { configuration, skills };
  }
}

/** Everything that an answer may depend on. */
const principalCacheKey = ({ permissions: _, requestId: __, ...rest }: Principal) => rest;

const skillOf = (
  { name, title, description, connectionSlug, effect }: OfferedTool,
  verdict: 'allow' | 'approval',
): Skill => ({
  id: name,
  name: title || name,
  description,
  tags: [connectionSlug, effect, ...(verdict === 'approval' ? ['needs-approval'] : [])],
});

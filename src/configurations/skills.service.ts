import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { isCallable, type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import { DecisionsService, type PublishedPolicies } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import type { Configuration } from './configuration.entity.js';
import { configurationNotFound } from './configurations.error.js';
import { type ConfigurationBundle, ConfigurationsService } from './configurations.service.js';

/** The skills that a configuration offers to a caller. */
export interface ConfigurationSkills {
  configuration: Configuration;
  skills: Skill[];
}

/** A skill in the format of an agent card. */
export interface Skill {
  id: string;
  name: string;
  description: string;
  tags: string[];
}

/** The stored state that decides on the skills of a configuration. */
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
  /** Concurrent requests share one read of the tables. Nothing is cached for later requests. */
  private readonly skillsBatcher = new Batcher<SkillsRequest, ConfigurationSkills | null>((tenantId, requests) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const cache = new TransactionCache(tx);
      const find = await this.loadSnapshots(tx, tenantId, [
        ...new Set(requests.map(({ configurationId }) => configurationId)),
      ]);
      const offerings: (ConfigurationSkills | null)[] = [];
      for (const { principal, configurationId } of requests)
        offerings.push(
          await cache.getOrLoad([configurationId, principalCacheKey(principal)], () =>
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

  /**
   * A skill for each tool that the policies could allow this principal, with or without approval. Excludes paused
   * tools.
   */
  async list(principal: Principal, configurationId: string): Promise<ConfigurationSkills> {
    const offering = await this.skillsBatcher.submit({ tenantId: principal.tenantId, principal, configurationId });
    if (!offering) throw configurationNotFound('The configuration does not exist.');
    return offering;
  }

  /** Loads all configurations with a fixed number of statements. */
  private async loadSnapshots(tx: Tx, tenantId: string, ids: readonly string[]) {
    const bundles = await this.configurations.findBundles(tx, tenantId, ids);
    const policies = await this.decisions.loadPublishedOf(tx, tenantId, ids);
    const prints = await this.configurations.toolsFingerprintsOf(tx, tenantId, ids);
    return (id: string): ConfigurationSnapshot | null => {
      const bundle = bundles.get(id);
      return bundle ? { bundle, policies: policies.get(id)!, toolsFingerprint: prints.get(id)! } : null;
    };
  }

  /** Needs one more statement if a tool of the configuration has changed since its tools were last loaded. */
  private async skillsOf(
    tx: Tx,
    principal: Principal,
    snapshot: ConfigurationSnapshot | null,
  ): Promise<ConfigurationSkills | null> {
    if (!snapshot) return null;
    const { bundle, policies, toolsFingerprint } = snapshot;
    const { configuration, connectionIds, groupIds } = bundle;
    const groups = principal.memberId ? await this.members.listGroupIds(principal, principal.memberId, tx) : groupIds;
    const tools = { configurationId: configuration.id, connectionIds, toolsFingerprint, tx };
    const offeredTools = await this.tools.list(principal, tools);
    const skills = offeredTools.flatMap((tool) => {
      if (!isCallable(tool) || tool.isPaused || tool.isPendingReview) return [];
      const verdict = this.decisions.couldAllow({ policies, principal, groups, tool });
      return verdict === 'deny' ? [] : [skillOf(tool, verdict)];
    });
    return { configuration, skills };
  }
}

/** Every property of the principal that can affect the result. */
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

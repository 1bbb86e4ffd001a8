import { Injectable } from '@nestjs/common';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { listingCacheKey, DecisionsService, type PublishedPolicies } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { callerKey } from './caller.js';
import { type ConfigurationAccess, ConfigurationAccessService } from './configuration-access.service.js';
import { PausedError } from './gate.error.js';
import { buildListing, type ToolListing, type ListedTool, emptyListing } from './tool-listing.js';
import { strictestVerdict } from './narrowing.js';
import { catchRefusal, Refusal, unknownTool } from './refusal.js';

export type { ListedTool };

/** All facts for a decision on a call, except its arguments. */
export interface EvaluationTarget {
  access: ConfigurationAccess;
  tool: OfferedTool;
  own: ApplicablePolicies;
  /** The policies of delegating configurations apply, too. */
  delegators: ApplicablePolicies[];
}

/** The policies of a configuration, and the groups that the caller counts as a member of. */
export interface ApplicablePolicies {
  policies: PublishedPolicies;
  groups: string[];
}

export interface ProposedCall {
  tool: string;
  args: JsonObject;
}

interface ToolListRequest {
  tenantId: string;
  principal: Principal;
  configurationId: string;
}

/** The tools that a caller can use through a configuration, by current access, definitions and policies. */
@Injectable()
export class ToolCatalog {
  /** Answers concurrent requests from one read of the tables. */
  private readonly listingLoader = new Batcher<ToolListRequest, ToolListing | Refusal>((tenantId, requests) =>
    this.database.read({ tenantId }, async (tx) => {
      const cache = new TransactionCache(tx);
      const lists: (ToolListing | Refusal)[] = [];
      for (const request of requests) lists.push(await this.listWithin(cache, request));
      return lists;
    }),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly access: ConfigurationAccessService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** Loads access, tool and policies concurrently. Throws a Refusal if the principal has no access. */
  async resolveTarget(
    cache: TransactionCache,
    principal: Principal,
    configurationId: string,
    name: string,
  ): Promise<EvaluationTarget> {
    const resolvingAccess = this.access.resolve(cache, principal, configurationId);
    const findingTool = this.findTool(cache, principal, configurationId, name);
    const loadingPolicies = this.loadPublished(cache, principal, configurationId);
    await Promise.allSettled([resolvingAccess, findingTool, loadingPolicies]);
    const access = await resolvingAccess; // first: a principal without access must not learn whether the tool exists
    const tool = await findingTool;
    if (!tool || (tool.connectionId !== null && !access.connectionIds.includes(tool.connectionId)))
      throw unknownTool(name);
    const [own, ...delegators] = await this.loadPolicies(cache, principal, access);
    return { access, tool, own, delegators };
  }

  /** The policies of the configuration first, then those of the delegating ones. */
  private loadPolicies(
    cache: TransactionCache,
    principal: Principal,
    access: ConfigurationAccess,
  ): Promise<ApplicablePolicies[]> {
    return Promise.all(
      [access, ...access.delegators].map(async ({ configurationId, readerGroups }) => ({
        policies: await this.loadPublished(cache, principal, configurationId),
        groups: readerGroups,
      })),
    );
  }

  private findTool(
    cache: TransactionCache,
    principal: Principal,
    configurationId: string,
    name: string,
  ): Promise<OfferedTool | null> {
    return cache.getOrLoad(['tool', name, configurationId, callerKey(principal)], (tx) =>
      this.tools.find(principal, { configurationId, tx }, name),
    );
  }

  private loadPublished(
    cache: TransactionCache,
    { tenantId }: Principal,
    configurationId: string,
  ): Promise<PublishedPolicies> {
    return cache.getOrLoad(['policies', configurationId], (tx) =>
      this.decisions.loadPublished(tx, tenantId, configurationId),
    );
  }

  /** Whether the policies deny the tool for any arguments: then it does not exist for the principal. */
  async isHidden(
    cache: TransactionCache,
    principal: Principal,
    access: ConfigurationAccess,
    tool: OfferedTool,
  ): Promise<boolean> {
    const applicable = await this.loadPolicies(cache, principal, access);
    return strictestVerdict(applicable.map((by) => this.decisions.couldAllow({ ...by, principal, tool }))) === 'deny';
  }

  /** Whether only the scope of the credential hides the tool. */
  async isOutOfScope(
    cache: TransactionCache,
    principal: Principal,
    access: ConfigurationAccess,
    tool: OfferedTool,
  ): Promise<boolean> {
    if (!principal.scopes.includes('api:read') || principal.scopes.includes('api:write')) return false;
    return !(await this.isHidden(cache, { ...principal, scopes: ['api:read', 'api:write'] }, access, tool));
  }

  /** Returns the same array as long as nothing changes. */
  async list(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.loadListing(principal, configurationId).catch(emptyIfPaused)).available;
  }

  /** Operations of upstream servers other than tools. */
  async listOperations(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.loadListing(principal, configurationId).catch(emptyIfPaused)).operations;
  }

  /** Includes paused tools: a task that calls one waits. Throws PausedError if all access is paused. */
  async listForTask(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.loadListing(principal, configurationId)).tools;
  }

  /** The proposed calls that the policies would not deny. Makes no calls, so it records nothing. */
  async filterPermitted<T extends ProposedCall>(
    principal: Principal,
    configurationId: string,
    proposed: readonly T[],
  ): Promise<T[]> {
    return this.database.tenant(principal, async (tx) => {
      const cache = new TransactionCache(tx);
      const permitted: T[] = [];
      for (const call of proposed)
        if (await this.isPermitted(cache, principal, configurationId, call)) permitted.push(call);
      return permitted;
    });
  }

  private async isPermitted(
    cache: TransactionCache,
    principal: Principal,
    configurationId: string,
    { tool: name, args }: ProposedCall,
  ): Promise<boolean> {
    try {
      const { tool, own, delegators } = await this.resolveTarget(cache, principal, configurationId, name);
      if (tool.isPaused || tool.isPendingReview) return false;
      const input = { principal, tool, args, tainted: false };
      return [own, ...delegators].every((by) => this.decisions.decide({ ...by, ...input }).verdict !== 'deny');
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  private async loadListing(principal: Principal, configurationId: string): Promise<ToolListing> {
    const listing = await this.listingLoader.submit({ tenantId: principal.tenantId, principal, configurationId });
    if (!(listing instanceof Refusal)) return listing;
    if (listing.code === 'paused') throw new PausedError(listing.reason);
    return emptyListing;
  }

  private listWithin(
    cache: TransactionCache,
    { principal, configurationId }: ToolListRequest,
  ): Promise<ToolListing | Refusal> {
    return cache.getOrLoad(['list', configurationId, callerKey(principal)], async (tx) => {
      const [access, toolsFingerprint] = await Promise.all([
        this.access.resolve(cache, principal, configurationId).catch(catchRefusal),
        this.configurations.toolsFingerprint(tx, principal.tenantId, configurationId),
        this.loadPublished(cache, principal, configurationId), // for `loadPolicies` below, in the same round trip
      ]);
      if (access instanceof Refusal) return access;
      const offered = await this.tools.list(principal, { ...access, toolsFingerprint, tx });
      const applicable = await this.loadPolicies(cache, principal, access);
      const inputs = applicable.map((by) => ({ ...by, principal }));
      return buildListing(offered, inputs.flatMap(listingCacheKey), (tool) =>
        strictestVerdict(inputs.map((input) => this.decisions.couldAllow({ ...input, tool }))),
      );
    });
  }
}

function emptyIfPaused(error: unknown): ToolListing {
  if (error instanceof PausedError) return emptyListing;
  throw error;
}

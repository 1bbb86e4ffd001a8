import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MembersService } from '../access/members.service.js';
import { Recheck } from '../access/recheck.service.js';
import { ConfigurationsService } from '../configurations/configurations.service.js';
import { type OfferedTool, ToolsService } from '../connections/tools.service.js';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { basisOf, DecisionsService, type Published } from '../policies/decisions.service.js';
import type { Principal } from '../principal/principal.js';
import { callerOf, type Delegator, delegatorOf } from './caller.js';
import { Paused } from './gate.error.js';
import { listedTo, type Listed, type ListedTool, nothing } from './listed-tools.js';
import { strictest } from './narrowing.js';
import { Refusal, unknownTool } from './refusal.js';

export type { ListedTool };

/** What a principal finds behind a configuration. */
export interface Entry {
  configurationId: string;
  connectionIds: string[];
  /** A member's own groups; for an agent identity the configuration's, and of these only such as those above have, too. */
  readerGroups: string[];
  /** The configurations through which the task was handed on to this one, the first of them first. */
  above: Entry[];
}

/** All that a call is decided on, but its arguments. */
export interface Sought {
  entry: Entry;
  tool: OfferedTool;
  policies: Published;
  policiesAbove: PoliciesAbove[];
}

/** Of a configuration that delegates: its policies decide as well. */
export interface PoliciesAbove {
  policies: Published;
  groups: string[];
}

/** A call that might be made. */
export interface Proposed {
  tool: string;
  args: JsonObject;
}

interface Asked {
  tenantId: string;
  principal: Principal;
  configurationId: string;
}

@Injectable()
export class Offers {
  /** Turns that are taken at the same time are told from one look at the tables. */
  private readonly listing = new Gather<Asked, Listed | Refusal>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const inquiry = new Inquiry(tx);
      const lists: (Listed | Refusal)[] = [];
      for (const one of asked) lists.push(await this.listIn(inquiry, one));
      return lists;
    }),
  );

  constructor(
    private readonly database: Database,
    private readonly recheck: Recheck,
    private readonly members: MembersService,
    private readonly configurations: ConfigurationsService,
    private readonly tools: ToolsService,
    private readonly decisions: DecisionsService,
  ) {}

  /** Throws a Refusal where the principal may not use the configuration now: suspended, revoked, paused, not theirs. */
  enter(inquiry: Inquiry, principal: Principal, configurationId: string): Promise<Entry> {
    return inquiry.once(['entry', configurationId, who(principal)], (tx) =>
      this.entryOf(tx, principal, configurationId),
    );
  }

  /** Why they may not, in words. Null: they may, or may soon. */
  async whyNot(principal: Principal, configurationId: string): Promise<string | null> {
    const entry = await this.database.tenant(principal, (tx) =>
      this.entryOf(tx, principal, configurationId).catch(refusal),
    );
    return entry instanceof Refusal && entry.code !== 'paused' ? entry.reason : null;
  }

  /** The way in and the tool, and all else that a call of it is decided on: asked for at once. Throws a Refusal likewise. */
  async seek(inquiry: Inquiry, principal: Principal, configurationId: string, name: string): Promise<Sought> {
    const entering = this.enter(inquiry, principal, configurationId);
    const finding = this.find(inquiry, principal, configurationId, name);
    const reading = this.policies(inquiry, principal, { configurationId });
    await Promise.allSettled([entering, finding, reading]);
    const entry = await entering; // who may not come in is told of no tool
    const tool = await finding;
    if (!tool || (tool.connectionId !== null && !entry.connectionIds.includes(tool.connectionId)))
      throw unknownTool(name);
    return { entry, tool, policies: await reading, policiesAbove: await this.policiesAbove(inquiry, principal, entry) };
  }

  private policiesAbove(inquiry: Inquiry, principal: Principal, { above }: Entry): Promise<PoliciesAbove[]> {
    return Promise.all(
      above.map(async (entry) => ({
        policies: await this.policies(inquiry, principal, entry),
        groups: entry.readerGroups,
      })),
    );
  }

  private find(
    inquiry: Inquiry,
    principal: Principal,
    configurationId: string,
    name: string,
  ): Promise<OfferedTool | null> {
    return inquiry.once(['tool', name, configurationId, who(principal)], (tx) =>
      this.tools.find(principal, { configurationId, tx }, name),
    );
  }

  policies(
    inquiry: Inquiry,
    { tenantId }: Principal,
    { configurationId }: Pick<Entry, 'configurationId'>,
  ): Promise<Published> {
    return inquiry.once(['policies', configurationId], (tx) => this.decisions.published(tx, tenantId, configurationId));
  }

  /** Whether the policy lets the principal do nothing with the tool, whatever the arguments: then it does not exist for them. */
  async isHidden(inquiry: Inquiry, principal: Principal, entry: Entry, tool: OfferedTool): Promise<boolean> {
    const policies = await this.policies(inquiry, principal, entry);
    const own = { policies, groups: entry.readerGroups };
    const above = await this.policiesAbove(inquiry, principal, entry);
    return strictest([own, ...above].map((by) => this.decisions.couldAllow({ ...by, principal, tool }))) === 'deny';
  }

  /** Whether it is for its scope alone that the credential does not find the tool. */
  async isOutOfScope(inquiry: Inquiry, principal: Principal, entry: Entry, tool: OfferedTool): Promise<boolean> {
    if (!principal.scopes.includes('api:read') || principal.scopes.includes('api:write')) return false;
    return !(await this.isHidden(inquiry, { ...principal, scopes: ['api:read', 'api:write'] }, entry, tool));
  }

  /** As long as nothing changes, the same array. */
  async list(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.listed(principal, configurationId).catch(nothingIfPaused)).open;
  }

  /** What upstream servers can do beside their tools. */
  async listOperations(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.listed(principal, configurationId).catch(nothingIfPaused)).operations;
  }

  /** With what is paused: a task that calls it waits. Throws Paused where that is all of it. */
  async listForTask(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return (await this.listed(principal, configurationId)).tools;
  }

  /** Of these calls those that the policies would not deny, as they are. It calls nothing, so nothing is recorded. */
  async undenied<T extends Proposed>(
    principal: Principal,
    configurationId: string,
    proposed: readonly T[],
  ): Promise<T[]> {
    return this.database.tenant(principal, async (tx) => {
      const inquiry = new Inquiry(tx);
      const kept: T[] = [];
      for (const one of proposed) if (await this.isUndenied(inquiry, principal, configurationId, one)) kept.push(one);
      return kept;
    });
  }

  private async isUndenied(
    inquiry: Inquiry,
    principal: Principal,
    configurationId: string,
    { tool: name, args }: Proposed,
  ): Promise<boolean> {
    try {
      const { entry, tool, policies, policiesAbove } = await this.seek(inquiry, principal, configurationId, name);
      if (tool.paused || tool.heldBack) return false;
      const asked = { principal, tool, args, tainted: false };
      return [{ policies, groups: entry.readerGroups }, ...policiesAbove].every(
        (by) => this.decisions.decide({ ...by, ...asked }).verdict !== 'deny',
      );
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  private async listed(principal: Principal, configurationId: string): Promise<Listed> {
    const listed = await this.listing.ask({ tenantId: principal.tenantId, principal, configurationId });
    if (!(listed instanceof Refusal)) return listed;
    if (listed.code === 'paused') throw new Paused(listed.reason);
    return nothing;
  }

  private listIn(inquiry: Inquiry, { principal, configurationId }: Asked): Promise<Listed | Refusal> {
    return inquiry.once(['list', configurationId, who(principal)], async (tx) => {
      const [entry, policies, toolsPrint] = await Promise.all([
        this.enter(inquiry, principal, configurationId).catch(refusal),
        this.policies(inquiry, principal, { configurationId }),
        this.configurations.toolsPrint(tx, principal.tenantId, configurationId),
      ]);
      if (entry instanceof Refusal) return entry;
      const offered = await this.tools.list(principal, { ...entry, toolsPrint, tx });
      const own = { policies, principal, groups: entry.readerGroups };
      const above = await this.policiesAbove(inquiry, principal, entry);
      const inputs = [own, ...above.map((by) => ({ ...by, principal }))];
      return listedTo(offered, inputs.flatMap(basisOf), (tool) =>
        strictest(inputs.map((input) => this.decisions.couldAllow({ ...input, tool }))),
      );
    });
  }

  private async entryOf(tx: EntityManager, principal: Principal, configurationId: string): Promise<Entry> {
    const handedOnBy = delegatorOf(principal);
    const above = handedOnBy ? await this.enterAbove(tx, handedOnBy, configurationId) : [];
    const [stop, bundle, own] = await Promise.all([
      this.recheck.check(principal, tx),
      this.configurations.bundle(tx, principal.tenantId, configurationId),
      this.groupsOf(tx, principal),
    ]);
    if (stop) throw new Refusal(stop.isPause ? 'paused' : 'not-permitted', `Not permitted: ${stop.reason}.`);
    const isBoundElsewhere = principal.configurationId !== undefined && principal.configurationId !== configurationId;
    if (!bundle || isBoundElsewhere) throw new Refusal('not-permitted', 'There is no such configuration.');
    if (bundle.configuration.pausedAt) throw new Refusal('paused', 'The configuration is paused.');
    const { connectionIds, groupIds } = bundle;
    // an agent identity reads what its configuration may, a member what their own groups may
    if (own && !own.some((id) => groupIds.includes(id)))
      throw new Refusal('not-permitted', 'There is no such configuration.');
    const delegator = above.at(-1);
    // an agent reads nothing by a detour that it may not read itself
    const readable = delegator ? groupIds.filter((id) => delegator.readerGroups.includes(id)) : groupIds;
    return { configurationId, connectionIds, readerGroups: own ?? readable, above };
  }

  /** Who acts for a configuration that delegates has to be let into that one, too, and it still has to delegate here. */
  private async enterAbove(
    tx: EntityManager,
    { id, name, principal }: Delegator,
    configurationId: string,
  ): Promise<Entry[]> {
    const entry = await this.entryOf(tx, principal, id);
    const way = await this.configurations.wayTo(tx, principal.tenantId, id, configurationId);
    if (!way) throw new Refusal('not-permitted', `"${name}" does not hand tasks on to this configuration any more.`);
    if (way.isPaused) throw new Refusal('paused', `The connection by which "${name}" hands tasks on is paused.`);
    return [...entry.above, entry];
  }

  /** Null: an agent identity has none of its own. */
  private async groupsOf(tx: EntityManager, principal: Principal): Promise<string[] | null> {
    if (principal.kind === 'agent') return null;
    return principal.memberId ? this.members.groupsOf(principal, principal.memberId, tx) : [];
  }
}

/** All that a recheck looks at. */
const who = (principal: Principal) => [callerOf(principal), principal.sessionId];

function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

function nothingIfPaused(error: unknown): Listed {
  if (error instanceof Paused) return nothing;
  throw error;
}

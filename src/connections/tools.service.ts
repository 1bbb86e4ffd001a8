import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { In, IsNull } from 'typeorm';
import { AdministrationService } from '../access/administration/administration.service.js';
import type { ChangeDescription } from '../access/administration/administration-change.port.js';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { withSpan } from '../platform/telemetry/trace.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import { encodeUpstreamChange } from './catalogue-change.port.js';
import { toolDefinitionChanged, NotSent, toolNotFound } from './connections.error.js';
import type { ToolResult } from './connector-registry.service.js';
import { Connection } from './connection.entity.js';
import { ConnectionsService } from './connections.service.js';
import { OfferedToolCache } from './offered-tool-cache.service.js';
import { joinToolLists, type OfferedTool } from './offered-tool.js';
import type { ResultRules } from './result-rules.js';
import { governConversation } from './results/govern-conversation.js';
import { governExecution } from './results/govern-execution.js';
import { claimedEffect } from './tool-definition.js';
import { ToolExecutionService, type ExecutionContext } from './tool-execution.service.js';
import { Tool, type Effect } from './tool.entity.js';
import { upstreamCatalogueTopic } from './connections.events.js';

export type { ToolContent, ToolResult } from './connector-registry.service.js';
export type { Conversation, InputRequest } from './conversation.port.js';
export { isCallable, type OfferedTool } from './offered-tool.js';
export type { ResultNotice } from './result-rules.js';
export { claimedEffect } from './tool-definition.js';
export type { ExecutionContext } from './tool-execution.service.js';

/** Tools of another module of this application. `slug` is the prefix of their names. */
export interface ToolProvider {
  slug: string;
  tools(principal: Principal, configurationId: string): Promise<OfferedTool[]>;
  execute(context: ExecutionContext, toolName: string, args: JsonObject): Promise<ToolResult>;
}

/** What an administrator confirms about a tool. */
export interface ToolReview {
  id: string;
  effect: Effect;
  definitionHash: string;
}

interface ToolReviews {
  reviews: ToolReview[];
}

export interface ConnectionScope {
  configurationId: string;
  connectionIds: string[];
  /** `toolsFingerprintSql` as read in the transaction. */
  toolsFingerprint?: string;
  tx?: Tx;
}

/** Every tool: those of connections, and those of this application's modules. Only the gate executes them. */
@Injectable()
export class ToolsService {
  private readonly providers = new Map<string, ToolProvider>();
  private readonly submitReviews: (principal: Principal, input: ToolReviews) => Promise<Tool[]>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly connections: ConnectionsService,
    private readonly execution: ToolExecutionService,
    private readonly toolCache: OfferedToolCache,
    private readonly wakeupChannel: WakeupChannel,
    administration: AdministrationService,
  ) {
    this.submitReviews = administration.register<ToolReviews, Tool[]>({
      kind: 'tool.confirm',
      permission: 'connections:manage',
      describe: (tx, principal, input) => this.describeReviews(tx, principal, input),
      apply: (tx, principal, input) => this.confirmIn(tx, principal, input),
    });
  }

  registerProvider(provider: ToolProvider): void {
    if (this.providers.has(provider.slug)) throw new Error(`tool provider "${provider.slug}" is registered twice`);
    this.connections.reserveSlug(provider.slug);
    this.providers.set(provider.slug, provider);
  }

  /**
   * The tools of a configuration; paused tools and tools pending review are marked. Returns the same array until
   * something changes.
   */
  async list(
    principal: Principal,
    { configurationId, connectionIds, toolsFingerprint, tx }: ConnectionScope,
  ): Promise<readonly OfferedTool[]> {
    const { tenantId } = principal;
    const read = (own: Tx) => this.toolCache.list(own, tenantId, connectionIds, toolsFingerprint);
    const [connected, ...own] = await Promise.all([
      tx ? read(tx) : this.database.tenant(principal, read),
      ...[...this.providers.values()].map((provider) => provider.tools(principal, configurationId)),
    ]);
    return joinToolLists(connected, own);
  }

  /** Searches all tools of the tenant. The caller checks that the configuration includes the tool's connection. */
  async find(
    principal: Principal,
    { configurationId, tx }: Pick<ConnectionScope, 'configurationId' | 'tx'>,
    name: string,
  ): Promise<OfferedTool | null> {
    const provider = this.providers.get(name.split('__', 1)[0]);
    const own = provider && (await provider.tools(principal, configurationId)).find((tool) => tool.name === name);
    if (own) return own;
    return this.execution.find(principal, name, tx);
  }

  /**
   * Executes exactly what was decided: this tool, with this definition, at this revision of its connection. Throws
   * `NotSent` if the upstream did nothing and `OutcomeUnknown` if it may have; an error that the upstream returns is a
   * result. The rules of the tool have been applied to what it returns or throws.
   */
  execute(context: ExecutionContext, tool: OfferedTool, args: JsonObject): Promise<ToolResult> {
    return withSpan(
      'tool.execute',
      { 'countersign.tool': tool.name, 'countersign.connection': tool.connectionSlug },
      () =>
        governExecution({ tenantId: context.principal.tenantId, tool, args }, () => {
          const governed = { ...context, conversation: governConversation(tool, context.conversation) };
          return tool.connectionId === null
            ? this.executeProvided(governed, tool, args)
            : this.execution.execute(governed, tool, tool.connectionId, args);
        }),
    );
  }

  private executeProvided(context: ExecutionContext, tool: OfferedTool, args: JsonObject): Promise<ToolResult> {
    const provider = this.providers.get(tool.connectionSlug);
    if (!provider) throw new NotSent(`${tool.name} is no longer offered.`);
    return provider.execute(context, tool.name, args);
  }

  /** For administrators; includes tools that are gone or pending review. */
  async get(principal: Principal, id: string): Promise<Tool> {
    const { tenantId } = principal;
    const tool = isUUID(id)
      ? await this.database.tenant(principal, (tx) => tx.findOneBy(Tool, { tenantId, id }))
      : null;
    if (!tool) throw toolNotFound('There is no such tool.');
    return tool;
  }

  /** Tools whose changed definition awaits confirmation, by name. */
  listPendingReview(principal: Principal): Promise<Tool[]> {
    return this.database.tenant(principal, (tx) =>
      tx
        .createQueryBuilder(Tool, 't')
        .innerJoin(Connection, 'c', 'c.tenantId = t.tenantId and c.id = t.connectionId and c.removedAt is null')
        .where('t.tenantId = :tenantId and t.goneAt is null and t.confirmedHash <> t.definitionHash', principal)
        .orderBy('t.name')
        .getMany(),
    );
  }

  /** For administrators: the tools of a connection, including those that are gone or pending review. */
  async listOf(principal: Principal, connectionId: string): Promise<Tool[]> {
    return (await this.listByConnections(principal, [connectionId]))[0];
  }

  /** The tools of each connection, by name; in the order of the ids. */
  listByConnections(principal: Principal, connectionIds: readonly string[]): Promise<Tool[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const tools = await tx.find(Tool, {
        where: { tenantId, connectionId: In(connectionIds) },
        order: { name: 'asc' },
      });
      return groupedBy(connectionIds, tools, ({ connectionId }) => connectionId!);
    });
  }

  /** Confirms the definition that the administrator reviewed. The effect is never lower than the server declares. */
  async confirm(principal: Principal, id: string, effect: Effect, definitionHash: string): Promise<Tool> {
    return (await this.confirmAll(principal, [{ id, effect, definitionHash }]))[0];
  }

  /** Confirms all tools or none; in the order of the input. */
  async confirmAll(principal: Principal, reviews: readonly ToolReview[]): Promise<Tool[]> {
    requireSession(principal);
    if (new Set(reviews.map(({ id }) => id)).size < reviews.length)
      throw invalidRequest('A tool is listed more than once.', {
        errors: [{ pointer: '/tools', detail: 'must list each tool once' }],
      });
    return this.submitReviews(principal, { reviews: reviews.map((review) => ({ ...review })) });
  }

  private async describeReviews(
    tx: Tx,
    { tenantId }: Principal,
    { reviews }: ToolReviews,
  ): Promise<ChangeDescription | null> {
    const tools = await tx.findBy(Tool, { tenantId, id: In(reviews.map(({ id }) => id)), goneAt: IsNull() });
    const byId = new Map(tools.map((tool) => [tool.id, tool]));
    const changes = reviews.flatMap((review) => {
      const tool = byId.get(review.id);
      if (!tool) throw toolNotFound('There is no such tool.');
      requireReviewable(tool, review);
      return isReviewed(tool, review) ? [] : [{ tool, review }];
    });
    const [first] = changes;
    if (!first) return null;
    const { id, name } = first.tool;
    return {
      areas: ['tool_effects'],
      title: changes.length === 1 ? `Confirm ${name}` : `Confirm ${changes.length} tools`,
      subject: changes.length === 1 ? { type: 'tool', id, name } : { type: 'connection', id: first.tool.connectionId },
      fields: changes.map(({ tool, review }) => ({
        label: tool.name,
        before: tool.confirmedAt
          ? confirmedText(tool.effect, tool.confirmedDefinition)
          : 'Not confirmed: requires the approvals of a write call',
        after: confirmedText(review.effect, tool.definition),
      })),
      basis: changes.map(({ tool }) => tool.definitionHash).join(),
    };
  }

  private async confirmIn(tx: Tx, principal: Principal, { reviews }: ToolReviews): Promise<Tool[]> {
    const confirmedBy = principal.memberId!;
    const confirmed = new Map<string, Tool>();
    // in a fixed order, so that concurrent confirmations do not deadlock
    for (const review of reviews.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const tool = await this.changeIn(tx, principal, review.id, 'tool.confirmed', (reviewed) =>
        confirmReviewed(reviewed, review, confirmedBy),
      );
      confirmed.set(review.id, tool);
    }
    return reviews.map(({ id }) => confirmed.get(id)!);
  }

  pause(principal: Principal, id: string): Promise<Tool> {
    return this.change(principal, id, 'tool.paused', (tool) =>
      tool.pausedAt ? null : ((tool.pausedAt = new Date()), {}),
    );
  }

  async resume(principal: Principal, id: string): Promise<Tool> {
    requireSession(principal);
    return this.change(principal, id, 'tool.resumed', (tool) => (tool.pausedAt ? ((tool.pausedAt = null), {}) : null));
  }

  /** What happens to its results. Null: the rules of its connection apply. */
  async setResultRules(principal: Principal, id: string, rules: ResultRules | null): Promise<Tool> {
    requireSession(principal);
    return this.change(principal, id, 'tool.result_rules_changed', (tool) => {
      const { resultRules: from } = tool;
      if (isDeepStrictEqual(from, rules && { ...rules })) return null;
      tool.resultRules = rules && { ...rules };
      return { from, to: tool.resultRules };
    });
  }

  /** `decide` changes the tool and returns the details to record, or null if nothing changes. */
  private change(
    principal: Principal,
    id: string,
    kind: string,
    decide: (tool: Tool) => Record<string, unknown> | null,
  ): Promise<Tool> {
    return this.database.tenant(principal, (tx) => this.changeIn(tx, principal, id, kind, decide));
  }

  private async changeIn(
    tx: Tx,
    principal: Principal,
    id: string,
    kind: string,
    decide: (tool: Tool) => Record<string, unknown> | null,
  ): Promise<Tool> {
    const where = { tenantId: principal.tenantId, id, goneAt: IsNull() };
    const tool = await tx.findOne(Tool, { where, lock: { mode: 'pessimistic_write' } });
    if (!tool) throw toolNotFound('There is no such tool.');
    const detail = decide(tool);
    if (!detail) return tool;
    await tx.save(tool);
    await this.audit.record(tx, principal, { kind, subject: { type: 'tool', id, name: tool.name }, detail });
    const encodedChange = encodeUpstreamChange({ connectionId: tool.connectionId, change: 'tools' });
    tx.afterCommit(() => this.wakeupChannel.publish(upstreamCatalogueTopic, encodedChange));
    return tool;
  }
}

/** Changes the tool and returns the details to record; null if nothing changes. */
function confirmReviewed(
  tool: Tool,
  { effect, definitionHash }: Omit<ToolReview, 'id'>,
  confirmedBy: string,
): Record<string, unknown> | null {
  requireReviewable(tool, { effect, definitionHash });
  if (isReviewed(tool, { effect, definitionHash })) return null;
  const { effect: from, definition: confirmedDefinition } = tool;
  const confirmedAt = new Date();
  Object.assign(tool, { effect, confirmedHash: definitionHash, confirmedDefinition, confirmedAt, confirmedBy });
  return { from, to: effect, definitionHash };
}

function requireReviewable(tool: Tool, { effect, definitionHash }: Omit<ToolReview, 'id'>): void {
  if (tool.definitionHash !== definitionHash)
    throw toolDefinitionChanged(`The current definition of ${tool.name} differs from the one that you confirmed.`);
  if (claimedEffect(tool.annotations) === 'destructive' && effect !== 'destructive')
    throw invalidRequest(`The server declares ${tool.name} destructive.`, {
      errors: [{ pointer: '/effect', detail: 'must be "destructive"' }],
    });
}

const isReviewed = (tool: Tool, { effect, definitionHash }: Omit<ToolReview, 'id'>): boolean =>
  tool.confirmedAt !== null && tool.confirmedHash === definitionHash && tool.effect === effect;

/** The effect, and the definition that the administrator confirms. */
const confirmedText = (effect: Effect, definition: object | null): string =>
  `Effect: ${effect}\n${JSON.stringify(definition, null, 2)}`;

import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { client, Database } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { span } from '../platform/telemetry/trace.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { Connection } from './connection.entity.js';
import { definitionChanged, NotSent, toolNotFound, Uncertain } from './connections.error.js';
import type { ToolResult } from './connection-kinds.service.js';
import { ConnectionsService, type OpenConnection } from './connections.service.js';
import { within } from './deadline.js';
import { claimedEffect } from './tool-definition.js';
import { ToolDiscovery } from './tool-discovery.service.js';
import { Tool, type Effect } from './tool.entity.js';
import { findOffered, listOffered } from './tools.sql.js';

export type { Content, ToolResult } from './connection-kinds.service.js';

/** A tool as the gate sees it, whoever carries it out. */
export interface OfferedTool {
  /** `<slug>__<tool>` */
  name: string;
  /** null: one of ours (knowledge, delegation). */
  connectionId: string | null;
  connectionSlug: string;
  connectionRevision: number;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  effect: Effect;
  definitionHash: string;
  /** The tool or its connection was paused. */
  paused: boolean;
  /** Its definition changed since an administrator confirmed it. */
  heldBack: boolean;
}

export interface ExecutionContext {
  principal: Principal;
  configurationId: string;
  connectionIds: string[];
  /** Groups of whom the caller reads for: a member's own, an agent's configuration's. */
  readerGroups: string[];
  idempotencyKey: string;
  signal: AbortSignal;
}

/** Tools of a room of ours. `slug` is what their names begin with. */
export interface ToolProvider {
  slug: string;
  tools(principal: Principal, configurationId: string): Promise<OfferedTool[]>;
  execute(context: ExecutionContext, toolName: string, args: JsonObject): Promise<ToolResult>;
}

export interface Bundle {
  configurationId: string;
  connectionIds: string[];
  tx?: EntityManager;
}

/** How old the list of a connection's tools may be when one of them is called. */
const freshMs = 30_000;
const longestCallMs = 5 * 60_000;
/** In which a connector may still say whether an aborted call was sent. */
const graceMs = 1000;

/** A row of `tools` with what its connection says. */
interface OfferedRow extends Omit<Tool, 'heldBack' | 'goneAt' | 'definition' | 'confirmedDefinition'> {
  connectionRevision: number;
  connectionPausedAt: Date | null;
}

interface Ready {
  row: OfferedRow;
  opened: OpenConnection;
}

/** Everything that can be done to a connection or to knowledge. Only the gate executes. */
@Injectable()
export class ToolsService {
  private readonly providers = new Map<string, ToolProvider>();
  private readonly refreshes = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly connections: ConnectionsService,
    private readonly discovery: ToolDiscovery,
  ) {}

  registerProvider(provider: ToolProvider): void {
    if (this.providers.has(provider.slug)) throw new Error(`tools of "${provider.slug}" are registered twice`);
    this.connections.reserveSlug(provider.slug);
    this.providers.set(provider.slug, provider);
  }

  /** What a configuration offers; paused and held back tools are named as such. */
  async list(principal: Principal, { configurationId, connectionIds, tx }: Bundle): Promise<OfferedTool[]> {
    const [connected, ...own] = await Promise.all([
      this.rows(principal, listOffered, [connectionIds], tx),
      ...[...this.providers.values()].map((provider) => provider.tools(principal, configurationId)),
    ]);
    return [...own.flat(), ...connected.map(toOffered)];
  }

  async find(
    principal: Principal,
    { configurationId, connectionIds, tx }: Bundle,
    name: string,
  ): Promise<OfferedTool | null> {
    const provider = this.providers.get(name.split('__', 1)[0]);
    const own = provider && (await provider.tools(principal, configurationId)).find((tool) => tool.name === name);
    if (own) return own;
    const [row] = await this.rows(principal, findOffered, [connectionIds, name], tx);
    return row ? toOffered(row) : null;
  }

  /**
   * Carries out what was decided: exactly this tool, by this definition, at this revision of its connection. Throws `NotSent`
   * when the upstream surely did nothing, `Uncertain` when it may have; an upstream's own "failed" is a result.
   */
  execute(context: ExecutionContext, tool: OfferedTool, args: JsonObject): Promise<ToolResult> {
    return span('tool.execute', { 'countersign.tool': tool.name, 'countersign.connection': tool.connectionSlug }, () =>
      tool.connectionId === null
        ? this.executeOwn(context, tool, args)
        : this.executeConnected(context, tool, tool.connectionId, args),
    );
  }

  private executeOwn(context: ExecutionContext, tool: OfferedTool, args: JsonObject): Promise<ToolResult> {
    const provider = this.providers.get(tool.connectionSlug);
    if (!provider) throw new NotSent(`Nothing offers ${tool.name} any more.`);
    return provider.execute(context, tool.name, args);
  }

  private async executeConnected(
    context: ExecutionContext,
    tool: OfferedTool,
    connectionId: string,
    args: JsonObject,
  ): Promise<ToolResult> {
    const { principal, connectionIds, idempotencyKey } = context;
    if (!connectionIds.includes(connectionId))
      throw new NotSent('The connection is not part of this configuration any more.');
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(longestCallMs)]);
    const { row, opened } = await this.ready(principal, connectionId, tool, signal);
    const { upstreamName, inputSchema, outputSchema } = row;
    if (!opened.kind.execute) throw new NotSent(`Connections of the kind "${opened.kind.title}" carry nothing out.`);
    const call = { tool: upstreamName, inputSchema, outputSchema, arguments: args, idempotencyKey };
    try {
      return await within(signal, opened.kind.execute(opened.context, call), graceMs);
    } catch (error) {
      if (error instanceof NotSent || error instanceof Uncertain) throw error;
      throw new Uncertain(messageOf(error), { cause: error });
    }
  }

  /** The tool as it is offered now, which has to be the one that was decided about. Whatever goes wrong here, nothing was sent. */
  private async ready(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    signal: AbortSignal,
  ): Promise<Ready> {
    try {
      const known = await this.read(principal, connectionId, tool, signal);
      if (isFresh(known.row)) return known;
      await this.refresh(principal, known.opened.context.connection, signal);
      return await this.read(principal, connectionId, tool, signal);
    } catch (error) {
      throw error instanceof NotSent ? error : new NotSent(messageOf(error), { cause: error });
    }
  }

  private read(principal: Principal, connectionId: string, tool: OfferedTool, signal: AbortSignal): Promise<Ready> {
    return this.database.tenant(principal, async (tx) => {
      const [row] = await this.rows(principal, findOffered, [[connectionId], tool.name], tx);
      const connection = await this.connections.find(principal, connectionId, tx);
      const refusal = refusalOf(tool, row);
      if (refusal || !connection) throw new NotSent(refusal ?? 'The connection was removed.');
      return { row, opened: await this.connections.open(principal, connection, signal, tx) };
    });
  }

  /** One at a time for each connection, whoever waits for it. */
  private async refresh(principal: Principal, connection: Connection, signal: AbortSignal): Promise<void> {
    const running =
      this.refreshes.get(connection.id) ??
      this.discover(principal, connection).finally(() => this.refreshes.delete(connection.id));
    this.refreshes.set(connection.id, running);
    await within(signal, running);
  }

  private async discover(principal: Principal, connection: Connection): Promise<void> {
    const { kind, context } = await this.connections.open(principal, connection, AbortSignal.timeout(longestCallMs));
    if (kind.tools)
      await this.discovery.save(
        systemPrincipal(principal.tenantId, 'connections'),
        connection,
        await kind.tools(context),
      );
  }

  /** For administrators: the tools of a connection, with those that are gone or held back. */
  listOf(principal: Principal, connectionId: string): Promise<Tool[]> {
    return this.database.tenant(principal, (tx) =>
      tx.find(Tool, { where: { tenantId: principal.tenantId, connectionId }, order: { name: 'asc' } }),
    );
  }

  /** The administrator has read this very definition and says what the tool does. Claims of the server are never undercut. */
  confirm(principal: Principal, id: string, effect: Effect, definitionHash: string): Promise<Tool> {
    return this.change(principal, id, 'tool.confirmed', (tool) => {
      if (tool.definitionHash !== definitionHash)
        throw definitionChanged('The tool has another definition than the one that was confirmed.');
      const claimed = claimedEffect(tool.annotations);
      if (claimed === 'destructive' && effect !== 'destructive') {
        throw invalidRequest('The server itself calls this tool destructive.', {
          errors: [{ pointer: '/effect', detail: 'cannot be less than "destructive"' }],
        });
      }
      if (tool.confirmedHash === definitionHash && tool.effect === effect) return null;
      const { effect: from } = tool;
      Object.assign(tool, { effect, confirmedHash: definitionHash, confirmedDefinition: tool.definition });
      return { from, to: effect, definitionHash };
    });
  }

  pause(principal: Principal, id: string): Promise<Tool> {
    return this.change(principal, id, 'tool.paused', (tool) =>
      tool.pausedAt ? null : ((tool.pausedAt = new Date()), {}),
    );
  }

  resume(principal: Principal, id: string): Promise<Tool> {
    return this.change(principal, id, 'tool.resumed', (tool) => (tool.pausedAt ? ((tool.pausedAt = null), {}) : null));
  }

  /** `decide` changes the tool and answers what to record, or null where there is nothing to change. */
  private change(
    principal: Principal,
    id: string,
    kind: string,
    decide: (tool: Tool) => Record<string, unknown> | null,
  ): Promise<Tool> {
    return this.database.tenant(principal, async (tx) => {
      const where = { tenantId: principal.tenantId, id, goneAt: IsNull() };
      const tool = await tx.findOne(Tool, { where, lock: { mode: 'pessimistic_write' } });
      if (!tool) throw toolNotFound('There is no such tool.');
      const detail = decide(tool);
      if (!detail) return tool;
      await tx.save(tool);
      await this.audit.record(tx, principal, { kind, subject: { type: 'tool', id, name: tool.name }, detail });
      return tool;
    });
  }

  private rows(
    principal: Principal,
    statement: { name: string; text: string },
    values: unknown[],
    tx?: EntityManager,
  ): Promise<OfferedRow[]> {
    const run = async (own: EntityManager) => {
      const connection = await client(own);
      return (await connection.query<OfferedRow>({ ...statement, values: [principal.tenantId, ...values] })).rows;
    };
    return tx ? run(tx) : this.database.tenant(principal, run);
  }
}

const messageOf = (error: unknown) => (error as Partial<Error> | null)?.message || 'It failed for an unknown reason.';

const isFresh = ({ seenAt }: OfferedRow) => Date.now() - seenAt.getTime() < freshMs;

const toOffered = (row: OfferedRow): OfferedTool => ({
  name: row.name,
  connectionId: row.connectionId,
  connectionSlug: row.connectionSlug,
  connectionRevision: row.connectionRevision,
  title: row.title,
  description: row.description,
  inputSchema: row.inputSchema,
  ...(row.outputSchema && { outputSchema: row.outputSchema }),
  effect: row.effect,
  definitionHash: row.definitionHash,
  paused: row.pausedAt !== null || row.connectionPausedAt !== null,
  heldBack: row.confirmedHash !== null && row.confirmedHash !== row.definitionHash,
});

/** Why what was decided about is not what would be called now. */
function refusalOf(decided: OfferedTool, row: OfferedRow | undefined): string | null {
  if (!row) return `${decided.name} is not offered any more.`;
  const now = toOffered(row);
  if (now.paused) return `${decided.name} is paused.`;
  if (now.connectionRevision !== decided.connectionRevision) return 'The connection was changed in the meantime.';
  if (now.definitionHash !== decided.definitionHash || now.heldBack)
    return `The definition of ${decided.name} changed; an administrator has to confirm it.`;
  return null;
}

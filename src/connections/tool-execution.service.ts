import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ToolResult } from './connector-registry.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import type { Conversation } from './conversation.port.js';
import { NotSent, OutcomeUnknown } from './connections.error.js';
import { ConnectionsService, type OpenConnection } from './connections.service.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import { withinDeadline } from '../platform/events/within-deadline.js';
import { asForeign, fromConnector } from './foreign.js';
import { ConnectionVerificationService } from './connection-verification.service.js';
import { staleToolReason, type OfferedToolRow, type OfferedTool, offeredToolOfRow } from './offered-tool.js';
import { isSearched } from './result-rules.js';
import { connectionOfRow, type ToolWithConnectionRow, sealedSecretsOfRow } from './tool-with-connection.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';
import { openTool } from './tools.sql.js';

export interface ExecutionContext {
  principal: Principal;
  configurationId: string;
  /** Absent if no task made the call. */
  taskId?: string | null;
  connectionIds: string[];
  /** Groups that decide what the caller may read: those of the member, or of the agent's configuration. */
  readerGroups: string[];
  idempotencyKey: string;
  /** Number of this execution attempt; default 1. */
  attempt?: number;
  /** The task that makes the call has read external text. */
  isTainted?: boolean;
  /** An earlier attempt began this delegation. Its status does not depend on a fresh tool list. */
  wasBegun?: boolean;
  /** Aborts when the call exceeds its time; time spent waiting for the caller's input does not count. */
  signal: AbortSignal;
  conversation?: Conversation;
}

/** Maximum age of a connection's tool list when one of its tools is called. */
const maxToolListAgeMs = 30_000;
const maxDiscoveryMs = 5 * 60_000;
/** Time in which a connector can still report whether an aborted call was sent. */
const graceMs = 1000;

/** A tool that was looked up this recently is not loaded again for its call. */
const recentLookupMs = 1000;

interface ReadyTool {
  row: ToolWithConnectionRow;
  opened: OpenConnection;
}
interface FoundTool {
  row: ToolWithConnectionRow;
  at: number;
}

/** Executes what was decided through a connection: exactly this tool, with this definition, at this revision. */
@Injectable()
export class ToolExecutionService {
  private readonly refreshes = new Map<string, Promise<void>>();
  /** The row of each tool lookup, held as long as the tool object. */
  private readonly recentLookups = new WeakMap<OfferedTool, FoundTool>();

  constructor(
    private readonly database: DatabaseService,
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecretsService,
    private readonly connectionVerification: ConnectionVerificationService,
    private readonly discovery: ToolDiscoveryService,
  ) {}

  /** Null if the tenant has no tool with this name. */
  async find(principal: Principal, name: string, tx?: Tx): Promise<OfferedTool | null> {
    const at = performance.now();
    const row = await this.load(principal, name, tx);
    if (!row) return null;
    const tool = offeredToolOfRow(row);
    this.recentLookups.set(tool, { row, at });
    return tool;
  }

  /** Throws `NotSent` if the upstream did nothing, `OutcomeUnknown` if it may have. */
  async execute(
    context: ExecutionContext,
    tool: OfferedTool,
    connectionId: string,
    args: JsonObject,
  ): Promise<ToolResult> {
    const { principal, configurationId, taskId = null, connectionIds, idempotencyKey, attempt = 1 } = context;
    const { wasBegun = false, isTainted = false, signal, conversation } = context;
    if (!connectionIds.includes(connectionId))
      throw new NotSent('The connection is no longer part of this configuration.');
    const { row, opened } = await this.prepare(principal, connectionId, tool, wasBegun, signal);
    const { operation, upstreamName, inputSchema, outputSchema, server } = row;
    const { connector } = opened;
    const isResultHeld = tool.resultRules !== undefined && isSearched(tool.resultRules);
    const { execute } = connector;
    if (!execute) throw new NotSent(`Connections to "${connector.title}" do not execute calls.`);
    const call = {
      operation,
      tool: upstreamName,
      inputSchema,
      outputSchema,
      server,
      arguments: args,
      idempotencyKey,
      conversation,
      origin:
        operation === 'delegation'
          ? { principal, configurationId, taskId, attempt, isTainted, isResultHeld }
          : undefined,
    };
    try {
      const executing = fromConnector(opened, () => execute.call(connector, opened.context, call));
      return await withinDeadline(signal, executing, graceMs);
    } catch (error) {
      // a delegation that was handed over is polled again, whatever the error was
      if (operation === 'delegation') throw error;
      if (error instanceof NotSent || error instanceof OutcomeUnknown) throw error;
      throw new OutcomeUnknown(failureMessageOf(error), { cause: error });
    }
  }

  /**
   * The tool as currently offered, which must be the one that was decided about. No failure here leaves the outcome
   * unknown: nothing has been sent yet.
   */
  private async prepare(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    wasBegun: boolean,
    signal: AbortSignal,
  ): Promise<ReadyTool> {
    const load = () => this.load(principal, tool.name);
    try {
      const known = this.open(principal, connectionId, tool, this.recentlyLoaded(tool) ?? (await load()), signal);
      if (wasBegun || isFresh(known.row)) return known;
      // text about its tools, and errors while listing them, come from the connected system
      await this.refresh(principal, known.opened.context.connection, signal).catch((error: unknown) => {
        throw wasBegun ? error : asForeign(new NotSent(failureMessageOf(error), { cause: error }));
      });
      return this.open(principal, connectionId, tool, await load(), signal);
    } catch (error) {
      throw error instanceof NotSent || wasBegun ? error : new NotSent(failureMessageOf(error), { cause: error });
    }
  }

  private recentlyLoaded(tool: OfferedTool): ToolWithConnectionRow | null {
    const found = this.recentLookups.get(tool);
    return found && performance.now() - found.at < recentLookupMs ? found.row : null;
  }

  private load(principal: Principal, name: string, tx?: Tx): Promise<ToolWithConnectionRow | null> {
    const [slug] = name.split('__', 1);
    const read = (own: Tx) => own.one(openTool, [principal.tenantId, slug, name]);
    return tx ? read(tx) : this.database.tenant(principal, read);
  }

  private open(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    row: ToolWithConnectionRow | null,
    signal: AbortSignal,
  ): ReadyTool {
    const refusal = staleToolReason(tool, row);
    if (refusal || !row) throw new NotSent(refusal ?? 'The connection was removed.');
    const secrets = this.secrets.unseal(connectionId, sealedSecretsOfRow(row));
    return { row, opened: this.connectionVerification.openWith(principal, connectionOfRow(row), secrets, signal) };
  }

  /** One refresh per connection at a time; concurrent callers share it. */
  private async refresh(principal: Principal, connection: Connection, signal: AbortSignal): Promise<void> {
    const running =
      this.refreshes.get(connection.id) ??
      this.discover(principal, connection).finally(() => this.refreshes.delete(connection.id));
    this.refreshes.set(connection.id, running);
    await withinDeadline(signal, running);
  }

  private async discover(principal: Principal, connection: Connection): Promise<void> {
    const { connector, context } = await this.connections.open(
      principal,
      connection,
      AbortSignal.timeout(maxDiscoveryMs),
    );
    if (connector.tools)
      await this.discovery.save(
        systemPrincipal(principal.tenantId, 'connections'),
        connection,
        await connector.tools(context),
      );
  }
}

const isFresh = ({ seenAt }: OfferedToolRow) => Date.now() - seenAt.getTime() < maxToolListAgeMs;

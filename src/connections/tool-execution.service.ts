import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import { oneRow } from '../platform/database/one-row.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ToolResult } from './connector-registry.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import type { Conversation } from './conversation.js';
import { NotSent, OutcomeUnknown } from './connections.error.js';
import { ConnectionsService, type OpenConnection } from './connections.service.js';
import { failureMessageOf, withinDeadline } from './deadline.js';
import { asForeign, fromConnector } from './foreign.js';
import { ConnectionVerificationService } from './connection-verification.service.js';
import { staleToolReason, type OfferedToolRow, type OfferedTool, offeredToolOfRow } from './offered-tool.js';
import { connectionOfRow, type ToolWithConnectionRow, sealedSecretsOfRow } from './tool-with-connection.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';
import { openTool } from './tools.sql.js';

export interface ExecutionContext {
  principal: Principal;
  configurationId: string;
  /** Absent: no task made the call. */
  taskId?: string | null;
  connectionIds: string[];
  /** Groups of whom the caller reads for: a member's own, an agent's configuration's. */
  readerGroups: string[];
  idempotencyKey: string;
  /** How often the call was begun; once, where nothing is said. */
  attempt?: number;
  /** The task that makes the call has met text from outside. */
  isTainted?: boolean;
  /** A delegation that was begun before: how it stands is no matter of how fresh the list of tools is. */
  wasBegun?: boolean;
  /** Ends when the call has taken too long; time in which the caller is asked does not count. */
  signal: AbortSignal;
  conversation?: Conversation;
}

/** How old the list of a connection's tools may be when one of them is called. */
const maxToolListAgeMs = 30_000;
const maxDiscoveryMs = 5 * 60_000;
/** In which a connector may still say whether an aborted call was sent. */
const graceMs = 1000;

/** How long ago a tool may have been found for its call to need no other look: that call is on its way. */
const recentLookupMs = 1000;

interface ReadyTool {
  row: ToolWithConnectionRow;
  opened: OpenConnection;
}
interface FoundTool {
  row: ToolWithConnectionRow;
  at: number;
}

/** Carries out, through a connection, what was decided: exactly this tool, by this definition, at this revision. */
@Injectable()
export class ToolExecutionService {
  private readonly refreshes = new Map<string, Promise<void>>();
  /** What was read when a tool was found, kept as long as that is. */
  private readonly recentLookups = new WeakMap<OfferedTool, FoundTool>();

  constructor(
    private readonly database: DatabaseService,
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecretsService,
    private readonly connectionVerification: ConnectionVerificationService,
    private readonly discovery: ToolDiscoveryService,
  ) {}

  /** Null where nothing of the tenant's is called so. */
  async find(principal: Principal, name: string, tx?: EntityManager): Promise<OfferedTool | null> {
    const at = performance.now();
    const row = await this.load(principal, name, tx);
    if (!row) return null;
    const tool = offeredToolOfRow(row);
    this.recentLookups.set(tool, { row, at });
    return tool;
  }

  /** Throws `NotSent` when the upstream surely did nothing, `Uncertain` when it may have. */
  async execute(
    context: ExecutionContext,
    tool: OfferedTool,
    connectionId: string,
    args: JsonObject,
  ): Promise<ToolResult> {
    const { principal, configurationId, taskId = null, connectionIds, idempotencyKey, attempt = 1 } = context;
    const { wasBegun = false, isTainted = false, signal, conversation } = context;
    if (!connectionIds.includes(connectionId))
      throw new NotSent('The connection is not part of this configuration any more.');
    const { row, opened } = await this.prepare(principal, connectionId, tool, wasBegun, signal);
    const { operation, upstreamName, inputSchema, outputSchema, server } = row;
    const { connector } = opened;
    const { execute } = connector;
    if (!execute) throw new NotSent(`Connections of the kind "${connector.title}" carry nothing out.`);
    const call = {
      operation,
      tool: upstreamName,
      inputSchema,
      outputSchema,
      server,
      arguments: args,
      idempotencyKey,
      conversation,
      origin: operation === 'delegation' ? { principal, configurationId, taskId, attempt, isTainted } : undefined,
    };
    try {
      const executing = fromConnector(opened, () => execute.call(connector, opened.context, call));
      return await withinDeadline(signal, executing, graceMs);
    } catch (error) {
      // what was handed on is looked at again, whatever kept us from it
      if (operation === 'delegation') throw error;
      if (error instanceof NotSent || error instanceof OutcomeUnknown) throw error;
      throw new OutcomeUnknown(failureMessageOf(error), { cause: error });
    }
  }

  /** The tool as it is offered now, which has to be the one that was decided about. Whatever goes wrong here, nothing was sent now. */
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
      // what a system says about its tools, and why it cannot, is said by it
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

  private load(principal: Principal, name: string, tx?: EntityManager): Promise<ToolWithConnectionRow | null> {
    const [slug] = name.split('__', 1);
    const values = [principal.tenantId, slug, name];
    const read = (own: EntityManager) => oneRow<ToolWithConnectionRow>(own, openTool, values);
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

  /** One at a time for each connection, whoever waits for it. */
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

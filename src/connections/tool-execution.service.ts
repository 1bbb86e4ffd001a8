import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database.service.js';
import { oneRow } from '../platform/database/one-row.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ToolResult } from './connection-kinds.service.js';
import { ConnectionSecrets } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import type { Conversation } from './conversation.js';
import { NotSent, Uncertain } from './connections.error.js';
import { ConnectionsService, type OpenConnection } from './connections.service.js';
import { messageOf, within } from './deadline.js';
import { asForeign, fromConnector } from './foreign.js';
import { Examination } from './examination.service.js';
import { refusalOf, type OfferedRow, type OfferedTool, toOffered } from './offered-tool.js';
import { connectionIn, type OpenedRow, sealedIn } from './opened-tool.js';
import { ToolDiscovery } from './tool-discovery.service.js';
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
const freshMs = 30_000;
const longestDiscoveryMs = 5 * 60_000;
/** In which a connector may still say whether an aborted call was sent. */
const graceMs = 1000;

/** How long ago a tool may have been found for its call to need no other look: that call is on its way. */
const momentMs = 1000;

interface Ready {
  row: OpenedRow;
  opened: OpenConnection;
}
interface Found {
  row: OpenedRow;
  at: number;
}

/** Carries out, through a connection, what was decided: exactly this tool, by this definition, at this revision. */
@Injectable()
export class ToolExecution {
  private readonly refreshes = new Map<string, Promise<void>>();
  /** What was read when a tool was found, kept as long as that is. */
  private readonly found = new WeakMap<OfferedTool, Found>();

  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecrets,
    private readonly examination: Examination,
    private readonly discovery: ToolDiscovery,
  ) {}

  /** Null where nothing of the tenant's is called so. */
  async find(principal: Principal, name: string, tx?: EntityManager): Promise<OfferedTool | null> {
    const at = performance.now();
    const row = await this.look(principal, name, tx);
    if (!row) return null;
    const tool = toOffered(row);
    this.found.set(tool, { row, at });
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
    const { row, opened } = await this.ready(principal, connectionId, tool, wasBegun, signal);
    const { operation, upstreamName, inputSchema, outputSchema, server } = row;
    const { kind } = opened;
    const { execute } = kind;
    if (!execute) throw new NotSent(`Connections of the kind "${kind.title}" carry nothing out.`);
    const call = {
      operation,
      tool: upstreamName,
      inputSchema,
      outputSchema,
      server,
      arguments: args,
      idempotencyKey,
      conversation,
      ...(operation === 'delegation' ? { behalf: { principal, configurationId, taskId, attempt, isTainted } } : {}),
    };
    try {
      const executing = fromConnector(opened, () => execute.call(kind, opened.context, call));
      return await within(signal, executing, graceMs);
    } catch (error) {
      // what was handed on is looked at again, whatever kept us from it
      if (operation === 'delegation') throw error;
      if (error instanceof NotSent || error instanceof Uncertain) throw error;
      throw new Uncertain(messageOf(error), { cause: error });
    }
  }

  /** The tool as it is offered now, which has to be the one that was decided about. Whatever goes wrong here, nothing was sent now. */
  private async ready(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    wasBegun: boolean,
    signal: AbortSignal,
  ): Promise<Ready> {
    const look = () => this.look(principal, tool.name);
    try {
      const known = this.open(principal, connectionId, tool, this.justFound(tool) ?? (await look()), signal);
      if (wasBegun || isFresh(known.row)) return known;
      // what a system says about its tools, and why it cannot, is said by it
      await this.refresh(principal, known.opened.context.connection, signal).catch((error: unknown) => {
        throw wasBegun ? error : asForeign(new NotSent(messageOf(error), { cause: error }));
      });
      return this.open(principal, connectionId, tool, await look(), signal);
    } catch (error) {
      throw error instanceof NotSent || wasBegun ? error : new NotSent(messageOf(error), { cause: error });
    }
  }

  private justFound(tool: OfferedTool): OpenedRow | null {
    const found = this.found.get(tool);
    return found && performance.now() - found.at < momentMs ? found.row : null;
  }

  private look(principal: Principal, name: string, tx?: EntityManager): Promise<OpenedRow | null> {
    const [slug] = name.split('__', 1);
    const values = [principal.tenantId, slug, name];
    const read = (own: EntityManager) => oneRow<OpenedRow>(own, openTool, values);
    return tx ? read(tx) : this.database.tenant(principal, read);
  }

  private open(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    row: OpenedRow | null,
    signal: AbortSignal,
  ): Ready {
    const refusal = refusalOf(tool, row);
    if (refusal || !row) throw new NotSent(refusal ?? 'The connection was removed.');
    const secrets = this.secrets.opened(connectionId, sealedIn(row));
    return { row, opened: this.examination.openWith(principal, connectionIn(row), secrets, signal) };
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
    const { kind, context } = await this.connections.open(
      principal,
      connection,
      AbortSignal.timeout(longestDiscoveryMs),
    );
    if (kind.tools)
      await this.discovery.save(
        systemPrincipal(principal.tenantId, 'connections'),
        connection,
        await kind.tools(context),
      );
  }
}

const isFresh = ({ seenAt }: OfferedRow) => Date.now() - seenAt.getTime() < freshMs;

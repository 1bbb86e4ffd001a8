import { Injectable } from '@nestjs/common';
import { client, Database } from '../platform/database/database.service.js';
import { Gather, isRefusedByDatabase } from '../platform/database/gather.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ToolResult } from './connection-kinds.service.js';
import { ConnectionSecrets } from './connection-secrets.service.js';
import type { Connection } from './connection.entity.js';
import type { Conversation } from './conversation.js';
import { NotSent, Uncertain } from './connections.error.js';
import { ConnectionsService, type OpenConnection } from './connections.service.js';
import { messageOf, within } from './deadline.js';
import { Examination } from './examination.service.js';
import { refusalOf, type OfferedRow, type OfferedTool } from './offered-tool.js';
import { connectionIn, type OpenedRow, sealedIn } from './opened-tool.js';
import { ToolDiscovery } from './tool-discovery.service.js';
import { openTool } from './tools.sql.js';

export interface ExecutionContext {
  principal: Principal;
  configurationId: string;
  connectionIds: string[];
  /** Groups of whom the caller reads for: a member's own, an agent's configuration's. */
  readerGroups: string[];
  idempotencyKey: string;
  /** Ends when the call has taken too long; time in which the caller is asked does not count. */
  signal: AbortSignal;
  conversation?: Conversation;
}

/** How old the list of a connection's tools may be when one of them is called. */
const freshMs = 30_000;
const longestDiscoveryMs = 5 * 60_000;
/** In which a connector may still say whether an aborted call was sent. */
const graceMs = 1000;

interface Ready {
  row: OfferedRow;
  opened: OpenConnection;
}
interface Wanted {
  tenantId: string;
  connectionId: string;
  name: string;
}
interface Read {
  row: OfferedRow;
  connection: Connection;
  secrets: ReadonlyMap<string, string>;
}

/** Carries out, through a connection, what was decided: exactly this tool, by this definition, at this revision. */
@Injectable()
export class ToolExecution {
  private readonly refreshes = new Map<string, Promise<void>>();
  /** Calls that are sent at the same time find what they need with one look. */
  private readonly reading = new Gather<Wanted, Read | null | Error>((tenantId, wanted) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const inquiry = new Inquiry(tx);
      const found: (Read | null | Error)[] = [];
      for (const one of wanted) found.push(await this.readIn(inquiry, one).catch(itsOwnError));
      return found;
    }),
  );

  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionsService,
    private readonly secrets: ConnectionSecrets,
    private readonly examination: Examination,
    private readonly discovery: ToolDiscovery,
  ) {}

  /** Throws `NotSent` when the upstream surely did nothing, `Uncertain` when it may have. */
  async execute(
    context: ExecutionContext,
    tool: OfferedTool,
    connectionId: string,
    args: JsonObject,
  ): Promise<ToolResult> {
    const { principal, connectionIds, idempotencyKey, signal, conversation } = context;
    if (!connectionIds.includes(connectionId))
      throw new NotSent('The connection is not part of this configuration any more.');
    const { row, opened } = await this.ready(principal, connectionId, tool, signal);
    const { operation, upstreamName, inputSchema, outputSchema } = row;
    if (!opened.kind.execute) throw new NotSent(`Connections of the kind "${opened.kind.title}" carry nothing out.`);
    const call = {
      operation,
      tool: upstreamName,
      inputSchema,
      outputSchema,
      arguments: args,
      idempotencyKey,
      conversation,
    };
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

  private async read(
    principal: Principal,
    connectionId: string,
    tool: OfferedTool,
    signal: AbortSignal,
  ): Promise<Ready> {
    const { tenantId } = principal;
    const read = await this.reading.ask({ tenantId, connectionId, name: tool.name });
    if (read instanceof Error) throw read;
    const refusal = refusalOf(tool, read?.row);
    if (refusal || !read) throw new NotSent(refusal ?? 'The connection was removed.');
    const { row, connection, secrets } = read;
    return { row, opened: this.examination.openWith(principal, connection, secrets, signal) };
  }

  private readIn(inquiry: Inquiry, { tenantId, connectionId, name }: Wanted): Promise<Read | null> {
    return inquiry.once([connectionId, name], async (tx) => {
      const values = [tenantId, [connectionId], name];
      const { rows } = await (await client(tx)).query<OpenedRow>({ ...openTool, values });
      if (!rows.length) return null;
      const [row] = rows;
      return { row, connection: connectionIn(row), secrets: this.secrets.opened(connectionId, sealedIn(row)) };
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

/** A credential that cannot be opened is one connection's trouble; a transaction that is lost is everybody's. */
function itsOwnError(error: unknown): Error {
  if (isRefusedByDatabase(error) || !(error instanceof Error)) throw error;
  return error;
}

const isFresh = ({ seenAt }: OfferedRow) => Date.now() - seenAt.getTime() < freshMs;

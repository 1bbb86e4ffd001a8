import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { SealService } from '../../../platform/crypto/seal.service.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { WakeupChannel } from '../../../platform/events/wakeup-channel.service.js';
import { QueueService } from '../../../platform/queue/queue.service.js';
import {
  acceptStdioSessions,
  awaitedStdioCommands,
  deleteStdioSession,
  closeStdioSessionsOfChild,
  deleteExpiredStdioSessions,
  extendStdioSessions,
  type StdioSessionState,
  livingStdioSessions,
  type StdioMessageRow,
  insertStdioSession,
  refuseStdioSessions,
  stdioSessionStates,
  consumeStdioAnswers,
  withdrawStdioMessage,
  consumeStdioRequests,
  insertStdioMessage,
} from './stdio-sessions.system.sql.js';

/** Published with the names of commands that sessions wait for or wrote to. */
export const stdioCommandsTopic = 'stdio.commands';
/** Published with the ids of sessions that have messages to read. */
export const stdioSessionsTopic = 'stdio.lines';

/** The content of a message row: an MCP message, or the report that a request did not reach the child. */
export interface SessionMessage {
  message?: JSONRPCMessage;
  notSent?: string;
  about?: RequestId;
}
interface ReceivedSessionMessage extends SessionMessage {
  line: string;
}
interface IdRow {
  id: string;
}

/** A session without a sign of life for this long counts as gone. */
const sessionAliveSeconds = 15;
/** A message is taken within this time or never: afterwards its writer has reported it as not sent. */
export const messageLifetimeSeconds = 10;

/**
 * Sessions between processes, as rows and wakeups. Messages are sealed, because they contain arguments and results of
 * calls.
 */
@Injectable()
export class StdioSessionRepository implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('stdio.lines', 60, async () => void (await this.run(deleteExpiredStdioSessions)));
  }

  // the caller's side

  async open(session: string, command: string): Promise<void> {
    await this.run(insertStdioSession, session, command, sessionAliveSeconds);
    this.wakeupChannel.publish(stdioCommandsTopic, command);
  }

  async keepAlive(lines: string[]): Promise<void> {
    await this.run(extendStdioSessions, lines, sessionAliveSeconds);
  }

  async close(session: string): Promise<void> {
    await this.run(deleteStdioSession, session);
  }

  states(lines: string[]): Promise<StdioSessionState[]> {
    return this.run<StdioSessionState>(stdioSessionStates, lines);
  }

  async sendRequest(session: string, command: string, message: SessionMessage): Promise<string> {
    const number = await this.write(session, false, message);
    this.wakeupChannel.publish(stdioCommandsTopic, command);
    return number;
  }

  consumeAnswers(lines: string[]): Promise<ReceivedSessionMessage[]> {
    return this.consume(true, consumeStdioAnswers, lines);
  }

  /** Returns whether the message was still there; if so, it can no longer be taken. */
  async withdraw(number: string): Promise<boolean> {
    return (await this.run(withdrawStdioMessage, number)).length === 1;
  }

  // the owner's side

  async listAwaited(commands: string[]): Promise<string[]> {
    return (await this.run<{ command: string }>(awaitedStdioCommands, commands)).map(({ command }) => command);
  }

  async accept(child: string, command: string): Promise<string[]> {
    return this.notifySessions(await this.run<IdRow>(acceptStdioSessions, child, command));
  }

  async listLiving(child: string): Promise<string[]> {
    return (await this.run<IdRow>(livingStdioSessions, child)).map(({ id }) => id);
  }

  consumeRequests(child: string): Promise<ReceivedSessionMessage[]> {
    return this.consume(false, consumeStdioRequests, child);
  }

  async sendAnswer(session: string, message: SessionMessage): Promise<void> {
    await this.write(session, true, message);
    this.wakeupChannel.publish(stdioSessionsTopic, session);
  }

  async refuse(command: string, reason: string): Promise<void> {
    this.notifySessions(await this.run<IdRow>(refuseStdioSessions, command, reason));
  }

  async closeAllOf(child: string, reason: string): Promise<void> {
    this.notifySessions(await this.run<IdRow>(closeStdioSessionsOfChild, child, reason));
  }

  private notifySessions(lines: IdRow[]): string[] {
    for (const { id } of lines) this.wakeupChannel.publish(stdioSessionsTopic, id);
    return lines.map(({ id }) => id);
  }

  private async write(session: string, isAnswer: boolean, content: SessionMessage): Promise<string> {
    const sealed = this.seal.seal(JSON.stringify(content), messageSealContext(session, isAnswer));
    const [row] = await this.run<{ number: string }>(
      insertStdioMessage,
      session,
      isAnswer,
      sealed,
      messageLifetimeSeconds,
    );
    return row.number;
  }

  private async consume(
    isAnswer: boolean,
    statement: string,
    of: string | string[],
  ): Promise<ReceivedSessionMessage[]> {
    const rows = await this.run<StdioMessageRow>(statement, of);
    // DELETE returns rows in no particular order
    rows.sort((one, other) => Number(BigInt(one.number) - BigInt(other.number)));
    return rows.map(({ line, message }) => ({
      ...(JSON.parse(this.seal.open(message, messageSealContext(line, isAnswer)).toString()) as SessionMessage),
      line,
    }));
  }

  private async run<T extends object = object>(statement: string, ...values: unknown[]): Promise<T[]> {
    return (await this.database.systemPool.query<T>(statement, values)).rows;
  }
}

const messageSealContext = (line: string, isAnswer: boolean) => ({
  table: 'stdio_messages',
  column: 'message',
  row: `${line}/${isAnswer ? 'answer' : 'request'}`,
});

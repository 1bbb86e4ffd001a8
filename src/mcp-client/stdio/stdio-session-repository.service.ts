import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { SealService } from '../../platform/crypto/seal.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { QueueService } from '../../platform/queue/queue.service.js';
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
    this.queue.every(
      'stdio.lines',
      60,
      async () => void (await this.database.systemPool.execute(deleteExpiredStdioSessions)),
    );
  }

  // the caller's side

  async open(session: string, command: string): Promise<void> {
    await this.database.systemPool.execute(insertStdioSession, [session, command, sessionAliveSeconds]);
    this.wakeupChannel.publish(stdioCommandsTopic, command);
  }

  async keepAlive(lines: string[]): Promise<void> {
    await this.database.systemPool.execute(extendStdioSessions, [lines, sessionAliveSeconds]);
  }

  async close(session: string): Promise<void> {
    await this.database.systemPool.execute(deleteStdioSession, [session]);
  }

  states(lines: string[]): Promise<StdioSessionState[]> {
    return this.database.systemPool.run(stdioSessionStates, [lines]);
  }

  async sendRequest(session: string, command: string, message: SessionMessage): Promise<string> {
    const number = await this.write(session, false, message);
    this.wakeupChannel.publish(stdioCommandsTopic, command);
    return number;
  }

  async consumeAnswers(lines: string[]): Promise<ReceivedSessionMessage[]> {
    return this.openMessages(true, await this.database.systemPool.run(consumeStdioAnswers, [lines]));
  }

  /** Returns whether the message was still there; if so, it can no longer be taken. */
  async withdraw(number: string): Promise<boolean> {
    return (await this.database.systemPool.execute(withdrawStdioMessage, [number])) === 1;
  }

  // the owner's side

  async listAwaited(commands: string[]): Promise<string[]> {
    return (await this.database.systemPool.run(awaitedStdioCommands, [commands])).map(({ command }) => command);
  }

  async accept(child: string, command: string): Promise<string[]> {
    return this.notifySessions(await this.database.systemPool.run(acceptStdioSessions, [child, command]));
  }

  async listLiving(child: string): Promise<string[]> {
    return (await this.database.systemPool.run(livingStdioSessions, [child])).map(({ id }) => id);
  }

  async consumeRequests(child: string): Promise<ReceivedSessionMessage[]> {
    return this.openMessages(false, await this.database.systemPool.run(consumeStdioRequests, [child]));
  }

  async sendAnswer(session: string, message: SessionMessage): Promise<void> {
    await this.write(session, true, message);
    this.wakeupChannel.publish(stdioSessionsTopic, session);
  }

  async refuse(command: string, reason: string): Promise<void> {
    this.notifySessions(await this.database.systemPool.run(refuseStdioSessions, [command, reason]));
  }

  async closeAllOf(child: string, reason: string): Promise<void> {
    this.notifySessions(await this.database.systemPool.run(closeStdioSessionsOfChild, [child, reason]));
  }

  private notifySessions(lines: { id: string }[]): string[] {
    for (const { id } of lines) this.wakeupChannel.publish(stdioSessionsTopic, id);
    return lines.map(({ id }) => id);
  }

  private async write(session: string, isAnswer: boolean, content: SessionMessage): Promise<string> {
    const sealed = this.seal.seal(JSON.stringify(content), messageSealContext(session, isAnswer));
    const params: [string, boolean, Buffer, number] = [session, isAnswer, sealed, messageLifetimeSeconds];
    const [{ number }] = await this.database.systemPool.run(insertStdioMessage, params);
    return number;
  }

  private openMessages(isAnswer: boolean, rows: StdioMessageRow[]): ReceivedSessionMessage[] {
    // DELETE returns rows in no particular order
    rows.sort((one, other) => Number(BigInt(one.number) - BigInt(other.number)));
    return rows.map(({ line, message }) => ({
      ...(JSON.parse(this.seal.open(message, messageSealContext(line, isAnswer)).toString()) as SessionMessage),
      line,
    }));
  }
}

const messageSealContext = (line: string, isAnswer: boolean) => ({
  table: 'stdio_messages',
  column: 'message',
  row: `${line}/${isAnswer ? 'answer' : 'request'}`,
});

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { Seal } from '../../../platform/crypto/seal.service.js';
import { Database } from '../../../platform/database/database.service.js';
import { Wakes } from '../../../platform/events/wakes.service.js';
import { Queue } from '../../../platform/queue/queue.service.js';
import {
  acceptLines,
  awaitedCommands,
  closeLine,
  closeLinesOf,
  forgetLines,
  keepLines,
  type LineState,
  livingLines,
  type MessageRow,
  openLine,
  refuseLines,
  statesOfLines,
  takeAnswers,
  takeBack,
  takeRequests,
  writeMessage,
} from './stdio-lines.system.sql.js';

/** Names of commands that lines wait for, or wrote to. */
export const commandsTopic = 'stdio.commands';
/** Ids of lines that have something to read. */
export const linesTopic = 'stdio.lines';

/** What goes over a line: a message, or the word that a request did not reach the child. */
export interface Said {
  message?: JSONRPCMessage;
  notSent?: string;
  about?: RequestId;
}
interface Taken extends Said {
  line: string;
}
interface Named {
  id: string;
}

/** How long nobody has to be heard of until he is taken for gone. */
const aliveSeconds = 15;
/** Within these a message is taken, or never: its writer has told by then that it was not sent. */
export const takenWithinSeconds = 10;

/** Lines between processes, as rows and wakes. What is said is sealed: a call's arguments and answers are in it. */
@Injectable()
export class LineRows implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly seal: Seal,
    private readonly wakes: Wakes,
    private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.queue.every('stdio.lines', 60, async () => void (await this.run(forgetLines)));
  }

  // the caller's side

  async open(line: string, command: string): Promise<void> {
    await this.run(openLine, line, command, aliveSeconds);
    this.wakes.send(commandsTopic, command);
  }

  async keep(lines: string[]): Promise<void> {
    await this.run(keepLines, lines, aliveSeconds);
  }

  async close(line: string): Promise<void> {
    await this.run(closeLine, line);
  }

  states(lines: string[]): Promise<LineState[]> {
    return this.run<LineState>(statesOfLines, lines);
  }

  async ask(line: string, command: string, said: Said): Promise<string> {
    const number = await this.write(line, false, said);
    this.wakes.send(commandsTopic, command);
    return number;
  }

  answers(lines: string[]): Promise<Taken[]> {
    return this.take(true, takeAnswers, lines);
  }

  /** Whether it was still there; if so, nobody takes it any more. */
  async takeBack(number: string): Promise<boolean> {
    return (await this.run(takeBack, number)).length === 1;
  }

  // the owner's side

  async awaited(commands: string[]): Promise<string[]> {
    return (await this.run<{ command: string }>(awaitedCommands, commands)).map(({ command }) => command);
  }

  async accept(child: string, command: string): Promise<string[]> {
    return this.tellLines(await this.run<Named>(acceptLines, child, command));
  }

  async living(child: string): Promise<string[]> {
    return (await this.run<Named>(livingLines, child)).map(({ id }) => id);
  }

  requests(child: string): Promise<Taken[]> {
    return this.take(false, takeRequests, child);
  }

  async answer(line: string, said: Said): Promise<void> {
    await this.write(line, true, said);
    this.wakes.send(linesTopic, line);
  }

  async refuse(command: string, reason: string): Promise<void> {
    this.tellLines(await this.run<Named>(refuseLines, command, reason));
  }

  async closeAllOf(child: string, reason: string): Promise<void> {
    this.tellLines(await this.run<Named>(closeLinesOf, child, reason));
  }

  private tellLines(lines: Named[]): string[] {
    for (const { id } of lines) this.wakes.send(linesTopic, id);
    return lines.map(({ id }) => id);
  }

  private async write(line: string, isAnswer: boolean, said: Said): Promise<string> {
    const sealed = this.seal.seal(JSON.stringify(said), place(line, isAnswer));
    const [row] = await this.run<{ number: string }>(writeMessage, line, isAnswer, sealed, takenWithinSeconds);
    return row.number;
  }

  private async take(isAnswer: boolean, statement: string, of: string | string[]): Promise<Taken[]> {
    const rows = await this.run<MessageRow>(statement, of);
    rows.sort((one, other) => Number(BigInt(one.number) - BigInt(other.number))); // DELETE knows no order
    return rows.map(({ line, message }) => ({
      ...(JSON.parse(this.seal.open(message, place(line, isAnswer)).toString()) as Said),
      line,
    }));
  }

  private async run<T extends object = object>(statement: string, ...values: unknown[]): Promise<T[]> {
    return (await this.database.systemPool.query<T>(statement, values)).rows;
  }
}

const place = (line: string, isAnswer: boolean) => ({
  table: 'stdio_messages',
  column: 'message',
  row: `${line}/${isAnswer ? 'answer' : 'request'}`,
});

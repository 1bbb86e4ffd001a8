import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { truncate } from '../platform/text/truncate.js';
import { TaskContentService } from './task-content.service.js';
import { listFirstMessages } from './task-items.sql.js';
import { fromRow } from './transcript.js';

/** Of a sealed message. A page of 200 tasks opens at most 13 MB. */
const maxMessageBytes = 64 * 1024;
const maxQuestionLength = 200;

/** The text that tasks were submitted with. It is sealed, so that the database can neither sort nor search it. */
@Injectable()
export class TaskQuestionsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly content: TaskContentService,
  ) {}

  /** One line per task, in the order of the ids. Null: the task has no text, or a very long message. */
  list(tenantId: string, taskIds: readonly string[]): Promise<(string | null)[]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const texts = await this.loadTexts(tx, tenantId, taskIds);
      return taskIds.map((id) => firstLine(texts.get(id) ?? ''));
    });
  }

  /** The whole text by task. */
  async loadTexts(tx: Tx, tenantId: string, taskIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.run(listFirstMessages, [tenantId, taskIds, maxMessageBytes]);
    return new Map(rows.map(({ taskId, ...row }) => [taskId, textOf(fromRow(this.content.openItem(taskId, row)))]));
  }
}

const textOf = (item: ReturnType<typeof fromRow>): string =>
  item.kind === 'message' ? item.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n') : '';

function firstLine(text: string): string | null {
  const line = text
    .trimStart()
    .split(/[\n\r\u2028\u2029]/, 1)[0]
    .trim();
  return line ? truncate(line, maxQuestionLength) : null;
}

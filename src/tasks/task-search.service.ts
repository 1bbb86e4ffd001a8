import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { TaskContentService } from './task-content.service.js';
import { readableTasks, type TaskFilter } from './task-filter.js';
import { TaskQuestionsService } from './task-questions.service.js';
import { Task } from './task.entity.js';

export interface TaskMatches {
  /** Newest first */
  nodes: Task[];
  /** Older tasks than this one were not searched. Null: all were. */
  searchedUntil: string | null;
}

interface TaskSearch extends TaskFilter {
  text: string;
  /** Id of the task that an earlier search ended with. */
  before?: string | null;
}

const batchSize = 200;
const maxBatches = 10;
const maxMatches = 100;

/**
 * Searches tasks by the text that they were submitted with, the id that the caller chose, and the name of the caller.
 * The text is sealed, so a search opens it here, for a bounded number of tasks.
 */
@Injectable()
export class TaskSearchService {
  constructor(
    private readonly database: DatabaseService,
    private readonly content: TaskContentService,
    private readonly questions: TaskQuestionsService,
  ) {}

  search(principal: Principal, { text, before = null, ...filter }: TaskSearch): Promise<TaskMatches> {
    return this.database.tenant(principal, async (tx) => {
      const withId = await this.findById(tx, principal, text.trim(), filter);
      if (withId) return { nodes: [withId], searchedUntil: null };
      const words = wordsOf(text);
      const found: string[] = [];
      let last = before;
      for (let batch = 0; batch < maxBatches && found.length < maxMatches; batch++) {
        const candidates = await listCandidates(tx, principal, filter, last);
        found.push(...(await this.match(tx, principal.tenantId, candidates, words)));
        last = candidates.length === batchSize ? candidates[batchSize - 1].id : null;
        if (!last) break;
      }
      return { nodes: await this.load(tx, principal, found), searchedUntil: last };
    });
  }

  /** Null also for a UUID that a caller chose as its own id: the search for words finds that one. */
  private async findById(tx: Tx, principal: Principal, id: string, filter: TaskFilter): Promise<Task | null> {
    if (!isUUID(id)) return null;
    const task = await readableTasks(tx, principal, filter).andWhere('t.id = :id', { id }).getOne();
    return task && this.content.openRow(task.id, task);
  }

  /** The ids of the tasks that contain all words. */
  private async match(
    tx: Tx,
    tenantId: string,
    candidates: readonly Task[],
    words: readonly string[],
  ): Promise<string[]> {
    const ids = candidates.map(({ id }) => id);
    const texts = await this.questions.loadTexts(tx, tenantId, ids);
    return candidates.flatMap(({ id, externalId, caller }) => {
      const all = foldCase([externalId, caller.name, texts.get(id) ?? ''].join('\n'));
      return words.every((word) => all.includes(word)) ? [id] : [];
    });
  }

  private async load(tx: Tx, principal: Principal, ids: string[]): Promise<Task[]> {
    if (!ids.length) return [];
    const query = readableTasks(tx, principal).andWhere('t.id in (:...ids)', { ids });
    const tasks = await query.orderBy('t.id', 'DESC').getMany();
    return tasks.map((task) => this.content.openRow(task.id, task));
  }
}

const listCandidates = (tx: Tx, principal: Principal, filter: TaskFilter, before: string | null): Promise<Task[]> => {
  const query = readableTasks(tx, principal, filter).select(['t.tenantId', 't.id', 't.externalId', 't.caller']);
  if (before) query.andWhere('t.id < :before', { before });
  return query.orderBy('t.id', 'DESC').take(batchSize).getMany();
};

const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase();
const wordsOf = (text: string): string[] => foldCase(text).split(/\s+/).filter(Boolean);

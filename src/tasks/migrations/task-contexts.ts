import type { MigrationInterface, QueryRunner } from 'typeorm';
import { create } from './advance-together.js';
import { find, submit, submitAll } from './task-functions.js';

/** A definition with one piece of it put into other words. */
export function reworded(definition: string, from: string, to: string): string {
  if (!definition.includes(from)) throw new Error(`"${from}" is not part of the function`);
  return definition.replace(from, to);
}
export const all = (definition: string, words: readonly (readonly [from: string, to: string])[]) =>
  words.reduce((text, [from, to]) => reworded(text, from, to), definition);

export const submitWithContext = all(submit, [
  ['p_request uuid\n', 'p_request uuid, p_context text\n'],
  ['created_at, updated_at)', 'created_at, updated_at, context_id)'],
  ['0, 0, 0, now(), now())', '0, 0, 0, now(), now(), p_context)'],
]);
const withContext = [
  submitWithContext,
  all(submitAll, [
    ['request uuid)', 'request uuid, context text)'],
    ['created_at, updated_at)', 'created_at, updated_at, context_id)'],
    ['0, 0, 0, now(), now()\n', '0, 0, 0, now(), now(), g.context\n'],
  ]),
  all(find, [
    ['artifacts json, number int)', 'artifacts json, number int, context text)'],
    ['t.artifacts, t.last_event\n', 't.artifacts, t.last_event, t.context_id\n'],
  ]),
];
const names = 'tasks_submit, tasks_submit_all, tasks_find';

/** What a caller takes together: its own name for several tasks. */
export class TaskContexts1790000001432 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tasks add column context_id text');
    await runner.query(`drop function ${names}`);
    await create(runner, names, withContext);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${names}`);
    await create(runner, names, [submit, submitAll, find]);
    await runner.query('alter table tasks drop column context_id');
  }
}

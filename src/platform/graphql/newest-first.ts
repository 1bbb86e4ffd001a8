import type { SelectQueryBuilder } from 'typeorm';
import { decodeCursor, toPage, type Page, type PageArgs } from './connection.js';

type PageOf = <T extends { id: string }>(query: SelectQueryBuilder<T>, args: PageArgs) => Promise<Page<T>>;

/** A page of the query's rows, newest first. Ids grow with time, so that the page is ordered by id. */
export const newestFirstPage: PageOf = (query, args) => pageById(query, args, 'DESC');
export const oldestFirstPage: PageOf = (query, args) => pageById(query, args, 'ASC');

async function pageById<T extends { id: string }>(
  query: SelectQueryBuilder<T>,
  { first, after }: PageArgs,
  order: 'ASC' | 'DESC',
): Promise<Page<T>> {
  const [last] = after ? decodeCursor(after, ['id']) : [null];
  const total = await query.getCount();
  if (last) query.andWhere(`${query.alias}.id ${order === 'ASC' ? '>' : '<'} :last`, { last });
  const rows = await query
    .orderBy(`${query.alias}.id`, order)
    .take(first + 1)
    .getMany();
  return toPage(rows, first, total, ({ id }) => [id]);
}

import type { SelectQueryBuilder } from 'typeorm';
import { decodeCursor, toPage, type Page, type PageArgs } from './connection.js';

/** A page of the query's rows, newest first. Ids grow with time, so that the page is ordered by id. */
export async function newestFirstPage<T extends { id: string }>(
  query: SelectQueryBuilder<T>,
  { first, after }: PageArgs,
): Promise<Page<T>> {
  const [last] = after ? decodeCursor(after, ['id']) : [null];
  const total = await query.getCount();
  if (last) query.andWhere(`${query.alias}.id < :last`, { last });
  const rows = await query
    .orderBy(`${query.alias}.id`, 'DESC')
    .take(first + 1)
    .getMany();
  return toPage(rows, first, total, ({ id }) => [id]);
}

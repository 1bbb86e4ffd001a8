import { type Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { IsOptional, Max, Min } from 'class-validator';
import { invalidRequest } from '../errors/general.error.js';

@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 50, description: 'Page size, at most 200.' })
  @Min(1)
  @Max(200)
  first: number;

  @Field(() => String, { nullable: true, description: '"endCursor" of the previous page.' })
  @IsOptional()
  after?: string | null;
}

@ObjectType()
export class PageInfo {
  @Field()
  hasNextPage: boolean;

  @Field(() => String, { nullable: true })
  endCursor: string | null;
}

export interface Page<T> {
  nodes: T[];
  pageInfo: PageInfo;
  totalCount: number;
}

/** `@ObjectType() class MemberConnection extends Paginated(Member) {}` */
export function Paginated<T>(node: Type<T>): Type<Page<T>> {
  @ObjectType({ isAbstract: true })
  abstract class Connection {
    @Field(() => [node])
    nodes: T[];

    @Field(() => PageInfo)
    pageInfo: PageInfo;

    @Field(() => Int)
    totalCount: number;
  }
  return Connection as Type<Page<T>>;
}

/** A page of objects that belong to one row of a list. The pages of all rows are read together. */
export interface NestedPage {
  /** Id of the row. */
  id: string;
  first: number;
  /** Id of the last object of the previous page. */
  after: string | null;
}

/**
 * For lists that are ordered by id. Throws for a cursor of another list, before the pages of all rows are read
 * together.
 */
export const nestedPage = (id: string, { first, after }: PageArgs): NestedPage => ({
  id,
  first,
  after: after ? decodeCursor(after, ['id'])[0] : null,
});

/** Parameters for `unnest`: ids, number of rows to read of each, last id of each previous page. */
export const nestedPageColumns = (
  pages: readonly NestedPage[],
): [ids: string[], limits: number[], afters: (string | null)[]] => [
  pages.map(({ id }) => id),
  pages.map(({ first }) => first + 1),
  pages.map(({ after }) => after),
];

/** Splits rows that were read together into pages. `nth` is the number of the page, starting at 1. */
export function toNestedPages<T, Row extends T & { nth: number; total: number }>(
  pages: readonly NestedPage[],
  rows: Row[],
  position: (row: T) => string[],
): Page<T>[] {
  const byPage = Map.groupBy(rows, ({ nth }) => nth);
  return pages.map(({ first }, index) => {
    const own = byPage.get(index + 1) ?? [];
    return toPage<T>(own, first, own[0]?.total ?? 0, position);
  });
}

/** `rows` contains one more than `first` if there is a next page. `position` returns the sort key of a row. */
export function toPage<T>(rows: T[], first: number, totalCount: number, position: (row: T) => string[]): Page<T> {
  const nodes = rows.slice(0, first);
  const last = nodes.at(-1);
  return {
    nodes,
    totalCount,
    pageInfo: { hasNextPage: rows.length > first, endCursor: last ? encodeCursor(position(last)) : null },
  };
}

export const encodeCursor = (position: string[]): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** `shape`: the type of each part of the sort key. Rejects a cursor of another list and a forged one. */
export function decodeCursor(cursor: string, shape: readonly ('id' | 'text')[]): string[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(position) &&
      position.length === shape.length &&
      position.every((part, index) => isCursorPart(part, shape[index]))
    )
      return position as string[];
  } catch {
    // falls through to the error below: the content of a cursor is not part of the API
  }
  throw invalidRequest('The cursor is invalid or belongs to another list.');
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isCursorPart = (part: unknown, kind: 'id' | 'text') =>
  typeof part === 'string' && (kind === 'id' ? uuid.test(part) : part.isWellFormed() && !part.includes('\0'));

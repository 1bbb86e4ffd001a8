import type { WorkRole } from './addresses.js';
import type { Queryable } from './queryable.js';

export interface StatementOptions {
  /**
   * Prepared under this name, once per connection, and planned once for all parameters: for statements that run for
   * every request.
   */
  name?: string;
  /** The roles that run it. Default: `cs_system` in files named `*.system.sql.ts`, otherwise `cs_app`. */
  roles?: readonly WorkRole[];
  /** Columns that are never null here although their table permits it, because the statement filters on them. */
  neverNull?: readonly string[];
  /** The statements that create the temporary tables that it uses. */
  temporaryTables?: readonly AnyStatement[];
}

/**
 * An SQL statement with the types of its parameters and of its rows. Exported statements are listed in
 * `test/statement-types.ts`, which compares their types with the database.
 */
export class Statement<Params extends readonly unknown[] = [], Row extends object = never> {
  declare protected readonly types: (params: Params) => Row;

  constructor(
    readonly text: string,
    readonly options: StatementOptions,
  ) {}
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any parameters, any rows
export type AnyStatement = Statement<any, any>;

/** `Params`: a labeled tuple in the order of `$1`, `$2`, … Without `Row`, the statement returns no rows. */
export const statement = <Params extends readonly unknown[] = [], Row extends object = never>(
  text: string,
  options: StatementOptions = {},
): Statement<Params, Row> => new Statement(text, options);

/**
 * For arrays in named statements. The planner expects ten elements of a parameter whose value it does not use, so for
 * shorter arrays a new plan seems cheaper, and it plans every time: that takes longer than the statement. It cannot see
 * the length through a subquery.
 */
export const ofUnknownLength = (array: string): string => `(select ${array})`;

export type ParamsOf<S> = S extends Statement<infer Params, infer _Row> ? Params : never;

type ParamsArgument<Params extends readonly unknown[]> = Params extends readonly [] ? [] : [params: Readonly<Params>];

/** What runs statements: a transaction (`Tx`), or a pool, where each statement is its own transaction. */
export interface StatementRunner {
  /** Returns the rows. */
  run<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...params: ParamsArgument<NoInfer<Params>>
  ): Promise<Row[]>;
  /** Returns the only row, or null if there is none. Throws if there are several. */
  one<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...params: ParamsArgument<NoInfer<Params>>
  ): Promise<Row | null>;
  /** Returns the number of rows that the statement inserted, updated, deleted or selected. */
  execute<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...params: ParamsArgument<NoInfer<Params>>
  ): Promise<number>;
}

/** Implements `StatementRunner` for whatever sends statements. */
export class QueryableRunner implements StatementRunner {
  constructor(private readonly queryable: Queryable) {}

  async run<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...[params]: ParamsArgument<NoInfer<Params>>
  ): Promise<Row[]> {
    return (await this.send(statement, params)).rows as Row[];
  }

  async one<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...[params]: ParamsArgument<NoInfer<Params>>
  ): Promise<Row | null> {
    const { rows } = await this.send(statement, params);
    if (rows.length > 1) throw new Error('the statement returned more than one row');
    return (rows[0] as Row | undefined) ?? null;
  }

  async execute<Params extends readonly unknown[], Row extends object>(
    statement: Statement<Params, Row>,
    ...[params]: ParamsArgument<NoInfer<Params>>
  ): Promise<number> {
    return (await this.send(statement, params)).rowCount ?? 0;
  }

  private send({ text, options: { name } }: AnyStatement, params: readonly unknown[] = []) {
    return this.queryable.query({ name, text, values: params as unknown[] });
  }
}

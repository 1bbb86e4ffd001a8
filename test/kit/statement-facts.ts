import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Client, Connection, PoolConfig } from 'pg';
import pg from 'pg';
import { type AnyStatement, Statement } from '../../src/platform/database/statement.js';
import type { WorkRole } from '../../src/platform/database/addresses.js';

export interface ListedStatement {
  /** The module that exports it, relative to the root of the repository. */
  file: string;
  exportName: string;
  /** In an exported list or record of statements: its key. */
  key?: string;
  statement: AnyStatement;
}

const root = path.join(import.meta.dirname, '../..');

/** Every exported statement, alone, in a list or in a record. */
export async function listStatements(): Promise<ListedStatement[]> {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.sql.ts'))
    .sort();
  const modules = await Promise.all(
    files.map(async (file) => [file, (await import(path.join(root, file))) as Record<string, unknown>] as const),
  );
  return modules.flatMap(([file, exports]) =>
    Object.entries(exports).flatMap(([exportName, value]) => statementsIn(file, exportName, value)),
  );
}

function statementsIn(file: string, exportName: string, value: unknown): ListedStatement[] {
  if (value instanceof Statement) return [{ file, exportName, statement: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, statement]) =>
    statement instanceof Statement ? [{ file, exportName, key, statement }] : [],
  );
}

export const rolesOf = ({ file, statement }: ListedStatement): readonly WorkRole[] =>
  statement.options.roles ?? [file.endsWith('.system.sql.ts') ? 'cs_system' : 'cs_app'];

interface Field {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
}
interface Description {
  params: number[];
  fields: Field[];
}

/** Parses and describes a statement without running it, as drivers do. */
class DescribeRequest implements pg.Submittable {
  private readonly result: Description = { params: [], fields: [] };
  private readonly completion = Promise.withResolvers<Description>();

  constructor(private readonly text: string) {}

  get description(): Promise<Description> {
    return this.completion.promise;
  }

  submit(connection: Connection): void {
    const onParams = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => void (this.result.params = dataTypeIDs);
    connection.once('parameterDescription', onParams);
    const wire = connection as Connection & {
      parse(query: { text: string; name?: string }): void;
      describe(message: { type: 'S'; name: string }): void;
      sync(): void;
    };
    wire.parse({ text: this.text });
    wire.describe({ type: 'S', name: '' });
    wire.sync();
  }
  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.result.fields = fields;
  }
  handleReadyForQuery(): void {
    this.completion.resolve(this.result);
  }
  handleError(error: Error): void {
    this.completion.reject(error);
  }
}

/** The types of the parameters and columns of a statement, as the database derives them. */
export interface StatementFacts {
  params: string[];
  /** A type with `!` is never null, with `?` it may be null, and without both its nullability is unknown. */
  columns: Record<string, string>;
}

interface Plan {
  'Relation Name'?: string;
  'Join Type'?: string;
  Plans?: (Plan & { 'Parent Relationship'?: string })[];
}

export class StatementInspector {
  private constructor(private readonly client: Client) {}

  static async connect(config: PoolConfig): Promise<StatementInspector> {
    const client = new pg.Client(config);
    await client.connect();
    return new StatementInspector(client);
  }

  end(): Promise<void> {
    return this.client.end();
  }

  /** Plans the statement as the role of this connection too, which checks its privileges. */
  async factsOf({ text, options }: AnyStatement): Promise<StatementFacts> {
    await this.client.query('begin');
    try {
      for (const temporary of options.temporaryTables ?? []) await this.client.query(temporary.text);
      const request = new DescribeRequest(text);
      this.client.query(request);
      const { params, fields } = await request.description;
      const optionality = isPlannable(text) ? tableOptionality(await this.plan(text)) : new Map<string, Optionality>();
      const facts: StatementFacts = { params: [], columns: {} };
      for (const oid of params) facts.params.push(await this.typeName(oid));
      for (const field of fields) facts.columns[field.name] = await this.columnType(field, optionality, options);
      return facts;
    } finally {
      await this.client.query('rollback');
    }
  }

  private async plan(text: string): Promise<Plan> {
    const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    return rows[0]['QUERY PLAN'][0].Plan;
  }

  private async typeName(oid: number): Promise<string> {
    const { rows } = await this.client.query<{ name: string }>('select format_type($1::oid, null) as name', [oid]);
    return rows[0].name;
  }

  private async columnType(
    field: Field,
    optionality: Map<string, Optionality>,
    { neverNull = [] }: AnyStatement['options'],
  ) {
    const type = await this.typeName(field.dataTypeID);
    if (neverNull.includes(field.name)) return `${type}!`;
    if (!field.tableID) return type;
    const { rows } = await this.client.query<{ isNotNull: boolean; table: string }>(
      `select a.attnotnull as "isNotNull", c.relname as table from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.attrelid = $1 and a.attnum = $2 and c.relkind in ('r', 'p')`,
      [field.tableID, field.columnID],
    );
    if (!rows[0]) return type;
    const [{ isNotNull, table }] = rows;
    if (!isNotNull || optionality.get(table) === 'always') return `${type}?`;
    return optionality.get(table) === 'sometimes' ? type : `${type}!`;
  }
}

const isPlannable = (text: string) => /^\s*(select|insert|update|delete|with|merge|values)\b/i.test(text);

/** Whether a table, wherever the statement names it, is on the side of an outer join that may have no match. */
type Optionality = 'never' | 'sometimes' | 'always';

function tableOptionality(plan: Plan): Map<string, Optionality> {
  const optionality = new Map<string, Optionality>();
  const walk = (node: Plan, isOptional: boolean) => {
    const table = node['Relation Name'];
    if (table) {
      const own = isOptional ? 'always' : 'never';
      optionality.set(table, (optionality.get(table) ?? own) === own ? own : 'sometimes');
    }
    for (const child of node.Plans ?? []) {
      const side = child['Parent Relationship'];
      const join = node['Join Type'];
      const isPadded =
        join === 'Full' || (join === 'Left' && side === 'Inner') || (join === 'Right' && side === 'Outer');
      walk(child, isOptional || isPadded);
    }
  };
  walk(plan, false);
  return optionality;
}

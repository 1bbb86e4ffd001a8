import type { Statement } from '../../src/platform/database/statement.js';

/** How `pg` returns the types of PostgreSQL. */
interface RowTypes {
  uuid: string;
  text: string;
  'character varying': string;
  character: string;
  name: string;
  regclass: string;
  cidr: string;
  inet: string;
  record: string;
  bigint: string;
  numeric: string;
  date: Date;
  'timestamp with time zone': Date;
  integer: number;
  smallint: number;
  oid: number;
  real: number;
  'double precision': number;
  boolean: boolean;
  bytea: Buffer;
  'uuid[]': string[];
  'text[]': (string | null)[];
  'integer[]': number[];
  'bigint[]': string[];
  'date[]': Date[];
  'bytea[]': Buffer[];
  'boolean[]': boolean[];
  void: unknown;
}

/** What `pg` sends correctly for a parameter of a type. */
interface ParamTypes {
  uuid: string;
  text: string;
  'character varying': string;
  bigint: number | string | bigint;
  numeric: number | string;
  date: string;
  'timestamp with time zone': Date | string;
  integer: number;
  smallint: number;
  real: number;
  'double precision': number;
  boolean: boolean;
  bytea: Buffer;
  oid: number;
  interval: string;
  'uuid[]': readonly (string | null)[];
  'text[]': readonly (string | null)[];
  'integer[]': readonly (number | null)[];
  'smallint[]': readonly (number | null)[];
  'bigint[]': readonly (number | string | null)[];
  'numeric[]': readonly (number | string | null)[];
  'double precision[]': readonly (number | null)[];
  'date[]': readonly (string | null)[];
  'timestamp with time zone[]': readonly (Date | string | null)[];
  'boolean[]': readonly (boolean | null)[];
  'bytea[]': readonly (Buffer | null)[];
  'jsonb[]': readonly (string | object | null)[];
  'bit varying': string;
}

type Json = 'json' | 'jsonb';
type IsJsonParam<Type> = NonNullable<Type> extends readonly unknown[] ? false : true; // `pg` sends it as an array of SQL

type ParamMismatch<Declared, Db, Nth extends string> = Db extends Json
  ? IsJsonParam<Declared> extends true
    ? never
    : `$${Nth} is ${Db}: pass JSON.stringify(list)`
  : Db extends keyof ParamTypes
    ? NonNullable<Declared> extends ParamTypes[Db]
      ? never
      : `$${Nth} is ${Db}`
    : Db extends string
      ? `$${Nth}: add ${Db} to ParamTypes`
      : never;

type ParamMismatches<
  Declared extends readonly unknown[],
  Db extends readonly string[],
> = Declared['length'] extends Db['length']
  ? NumberedMismatches<[undefined, ...Declared], [undefined, ...Db]>
  : `the statement has ${Db['length']} parameters`;

/** The first parameter is `$1`. */
type NumberedMismatches<Declared extends readonly unknown[], Db extends readonly unknown[]> = {
  [Nth in keyof Db & `${number}`]: ParamMismatch<Declared[Nth & keyof Declared], Db[Nth], Nth>;
}[keyof Db & `${number}`];

type TypeMismatch<Declared, Db, Column extends string> = Db extends Json | `${string}[]`
  ? Db extends keyof RowTypes
    ? NonNullable<Declared> extends RowTypes[Db]
      ? never
      : `${Column} is ${Db}`
    : never
  : Db extends keyof RowTypes
    ? unknown extends Declared
      ? never
      : NonNullable<Declared> extends RowTypes[Db]
        ? never
        : `${Column} is ${Db}`
    : Db extends string
      ? `${Column}: add ${Db} to RowTypes`
      : never;

type ColumnMismatch<Declared, Db, Column extends string> = Db extends `${infer Type}!`
  ? | (null extends Declared ? (unknown extends Declared ? never : `${Column} is never null`) : never)
    | TypeMismatch<Declared, Type, Column>
  : Db extends `${infer Type}?`
    ? (null extends Declared ? never : `${Column} may be null`) | TypeMismatch<Declared, Type, Column>
    : TypeMismatch<Declared, Db, Column>;

type RequiredKeys<Row> = { [K in keyof Row]-?: object extends Pick<Row, K> ? never : K }[keyof Row] & string;

type ColumnMismatches<Row, Db> = [Row] extends [never]
  ? [keyof Db] extends [never]
    ? never
    : 'the statement returns rows: declare them'
  : | `${Exclude<RequiredKeys<Row>, keyof Db>} is not returned`
    | `${Exclude<keyof Db, keyof Row> & string} is not declared`
    | { [K in keyof Row & keyof Db & string]: ColumnMismatch<Row[K], Db[K], K> }[keyof Row & keyof Db & string];

/** The differences between the declared types of a statement and the database, as texts. `never` if there are none. */
export type Mismatches<S, DbParams extends readonly string[], DbRow = Record<never, never>> =
  S extends Statement<infer Params, infer Row>
    ? ParamMismatches<Params, DbParams> | ColumnMismatches<Row, DbRow>
    : never;

/** Fails to compile with the texts of the mismatches. */
export type Verified<Mismatch extends never> = Mismatch;

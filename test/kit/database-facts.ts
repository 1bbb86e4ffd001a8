import type { Client } from 'pg';
import { backupRole, loginRole, workRoles } from '../../src/platform/database/addresses.js';

interface Grant {
  role: string;
  privileges: string;
}
interface Column {
  name: string;
  type: string;
  isNullable: boolean;
  collation: string | null;
  default: string | null;
  generated: string | null;
  grants: Grant[];
}
interface Relation {
  name: string;
  kind: string;
  rowSecurity: string;
  options: string[];
  columns: Column[];
  constraints: string[];
  indexes: string[];
  policies: string[];
  triggers: string[];
  grants: Grant[];
}
interface Routine {
  signature: string;
  returns: string;
  attributes: string[];
  grants: Grant[];
}
interface Role {
  name: string;
  attributes: string[];
}

/** Privileges of all roles except the owner, whose name differs between servers. */
const grantsIn = (privileges: string, kind: string, owner: string) => `
  (select coalesce(json_agg(json_build_object('role', role, 'privileges', privileges) order by role), '[]') from (
     select case g.grantee when 0 then 'public' else g.grantee::regrole::text end as role,
            string_agg(lower(g.privilege_type), ', ' order by g.privilege_type) as privileges
     from aclexplode(coalesce(${privileges}, acldefault('${kind}', ${owner}))) g
     where g.grantee <> ${owner} group by 1
   ) granted)`;

const relations = `
  select c.relname as name,
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view'
      else case c.relpersistence when 'u' then 'unlogged table' else 'table' end end as kind,
    case when c.relforcerowsecurity then 'forced' when c.relrowsecurity then 'enabled' else 'none' end as "rowSecurity",
    coalesce(c.reloptions, '{}') as options,
    (select json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod),
        'isNullable', not a.attnotnull,
        'collation', case when a.attcollation <> t.typcollation then a.attcollation::regcollation::text end,
        'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
        'generated', case when a.attgenerated <> '' then 'as ' || pg_get_expr(d.adbin, d.adrelid)
                          when a.attidentity = 'a' then 'always as identity'
                          when a.attidentity = 'd' then 'by default as identity' end,
        'grants', case when a.attacl is null then '[]' else ${grantsIn('a.attacl', 'c', 'c.relowner')} end
      ) order by a.attnum)
     from pg_attribute a join pg_type t on t.oid = a.atttypid
     left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    array(
      select k.conname || ' ' || pg_get_constraintdef(k.oid) from pg_constraint k
      where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x') order by 1) as constraints,
    array(
      select pg_get_indexdef(i.indexrelid) from pg_index i
      where i.indrelid = c.oid
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      order by 1) as indexes,
    array(
      select p.polname || case when p.polpermissive then '' else ' restrictive' end
        || ' for ' || case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end
        || ' to ' || (
          select string_agg(case role when 0 then 'public' when c.relowner then '(owner)' else role::regrole::text end, ', ' order by role::regrole::text)
          from unnest(p.polroles) as role)
        || coalesce(' using ' || pg_get_expr(p.polqual, p.polrelid), '')
        || coalesce(' with check ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
      from pg_policy p where p.polrelid = c.oid order by 1) as policies,
    array(
      select pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then '' else ' (enabled: ' || t.tgenabled::text || ')' end
      from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by 1) as triggers,
    ${grantsIn('c.relacl', 'r', 'c.relowner')} as grants
  from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v', 'm') order by 1`;

const routines = `
  select p.oid::regprocedure::text as signature, coalesce(pg_get_function_result(p.oid), 'procedure') as returns,
    array_remove(array[
      l.lanname::text,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when p.prosecdef then 'security definer' else 'security invoker' end,
      case when p.proisstrict then 'strict' end,
      case p.proparallel when 's' then 'parallel safe' when 'r' then 'parallel restricted' end,
      'set ' || array_to_string(p.proconfig, ', ')
    ], null) as attributes,
    ${grantsIn('p.proacl', 'f', 'p.proowner')} as grants
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = 'public'::regnamespace order by 1`;

const roles = `
  select r.rolname as name, array_remove(array[
    case when r.rolcanlogin then 'login' end, case when r.rolinherit then 'inherit' end,
    case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end,
    case when r.rolcreaterole then 'createrole' end, case when r.rolcreatedb then 'createdb' end,
    case when r.rolreplication then 'replication' end,
    'member of ' || (
      select string_agg(m.roleid::regrole::text, ', ' order by m.roleid::regrole::text) from pg_auth_members m where m.member = r.oid)
  ], null) as attributes
  from pg_roles r where r.rolname = any ($1) order by 1`;

const schemas = `
  select n.nspname as name, ${grantsIn('n.nspacl', 'n', 'n.nspowner')} as grants
  from pg_namespace n where n.nspname in ('public', 'graphile_worker') order by 1`;

/**
 * Describes a migrated database from its catalog, as text for line-by-line diffs: roles, schemas, tables, functions.
 * For the queue's tables it contains only privileges: everything else belongs to graphile-worker.
 */
export async function databaseFacts(owner: Client): Promise<string> {
  const rowsOf = async <T extends object>(text: string, values: unknown[] = []) =>
    (await owner.query<T>(text, values)).rows;
  const blocks = [
    ...(await rowsOf<Role>(roles, [[...workRoles, loginRole, backupRole]])).map(({ name, attributes }) => [
      `role ${name}`,
      ...indented('', attributes),
    ]),
    ...(await rowsOf<{ name: string; grants: Grant[] }>(schemas)).map(({ name, grants }) => [
      `schema ${name}`,
      ...indented('', grants.map(grantText)),
    ]),
    ...(await rowsOf<Relation>(relations, ['public'])).map(relationText),
    ...(await rowsOf<Routine>(routines)).map(routineText),
    ...(await rowsOf<Relation>(relations, ['graphile_worker'])).map(({ kind, name, rowSecurity, policies, grants }) => [
      `${kind} graphile_worker.${name} (row-level security: ${rowSecurity})`,
      ...indented('policy ', policies),
      ...indented('', grants.map(grantText)),
    ]),
  ];
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function relationText(relation: Relation): string[] {
  const { kind, name, rowSecurity, options } = relation;
  const details = [`row-level security: ${rowSecurity}`, ...options].join(', ');
  return [
    `${kind} ${name} (${details})`,
    ...indented('column ', relation.columns.map(columnText)),
    ...indented('constraint ', relation.constraints),
    ...indented('', relation.indexes),
    ...indented('policy ', relation.policies),
    ...indented('', relation.triggers),
    ...indented('', relation.grants.map(grantText)),
    ...relation.columns.flatMap((column) =>
      column.grants.map(({ role, privileges }) => `  grant ${privileges} (${column.name}) to ${role}`),
    ),
  ];
}

function columnText(column: Column): string {
  return [
    column.name,
    column.type,
    column.collation && `collate ${column.collation}`,
    column.isNullable ? 'null' : 'not null',
    column.default && `default ${column.default}`,
    column.generated && `generated ${column.generated}`,
  ]
    .filter(Boolean)
    .join(' ');
}

const routineText = ({ signature, returns, attributes, grants }: Routine): string[] => [
  `function ${signature}`,
  `  returns ${returns}`,
  ...indented('', attributes),
  ...indented('', grants.map(grantText)),
];

const grantText = ({ role, privileges }: Grant) => `grant ${privileges} to ${role}`;
const indented = (prefix: string, lines: string[]) =>
  lines.map((line) => `  ${prefix}${line.replace(/\s*\n\s*/g, ' ')}`);

import pg from 'pg';

interface Column {
  name: string;
  type: string;
  isUnique: boolean;
  /** A check constraint limits its values. */
  isChecked: boolean;
  isNullable: boolean;
}

/**
 * Copies one row of each tenant table `count` times, for lists of realistic length. Copies differ only in unique
 * columns. Rows that refer to the original are not copied. Returns the tables that rejected the copies.
 */
export async function copyRows(databaseUrl: string, tenantId: string, count: number): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const refused: string[] = [];
  try {
    await client.query('set session_replication_role = replica'); // without triggers and foreign keys
    for (const [table, columns] of Object.entries(await tenantTables(client))) {
      const names = columns.map(({ name }) => `"${name}"`).join();
      const text = `
        insert into ${table} (${names}) select ${columns.map((column) => copyExpression(table, column)).join()}
        from (select * from ${table} where tenant_id = $1 order by id limit 1) r, generate_series(1, $2::int) n`;
      await client.query(text, [tenantId, count]).catch((error: Error) => refused.push(`${table}: ${error.message}`));
    }
    // sealed columns of a task are bound to its id and cannot be opened in a copy
    await client.query(
      `update tasks set status = (status::jsonb - 'sealed')::json, artifacts = null where tenant_id = $1`,
      [tenantId],
    );
    await completeConfigurations(client, tenantId);
    // calls that no one can decide on show the reason
    await client.query(
      `update tool_calls set state = 'denied', code = 'approval-unreachable', reason = 'No one can decide on this call.',
                             steps = '{review}', executing_until = null, ended_at = now()
       where tenant_id = $1`,
      [tenantId],
    );
  } finally {
    await client.end();
  }
  return refused;
}

/**
 * Gives every configuration the policies of one that has some, and the connection with the fewest tools: with another
 * one, the tool lists of a hundred configurations would make unrealistically long responses.
 */
async function completeConfigurations(client: pg.Client, tenantId: string): Promise<void> {
  await client.query(
    `insert into configuration_connections (tenant_id, configuration_id, connection_id)
     select $1, c.id, n.id from configurations c, (
       select n.id from connections n
       where n.tenant_id = $1 and exists (select from configuration_connections b where b.tenant_id = $1 and b.connection_id = n.id)
       order by (select count(*) from tools t where t.tenant_id = $1 and t.connection_id = n.id) limit 1
     ) n
     where c.tenant_id = $1 on conflict do nothing`,
    [tenantId],
  );
  await client.query(
    `insert into policy_revisions (tenant_id, configuration_id, revision, text, text_hash, publisher, published_at)
     select $1, c.id, p.revision, p.text, p.text_hash, p.publisher, p.published_at from configurations c, (
       select * from policy_revisions where tenant_id = $1 limit 1
     ) p
     where c.tenant_id = $1 on conflict do nothing`,
    [tenantId],
  );
}

function copyExpression(table: string, { name, type, isUnique, isChecked, isNullable }: Column): string {
  const column = `r."${name}"`;
  if (type === 'uuid' && ['id', 'pseudonym_id'].includes(name)) return 'gen_random_uuid()';
  if (name === 'slug') return `'copy' || n`;
  // a unique index uses an expression on this column
  if (type === 'text' && name === 'name') return `${column} || '-' || n`;
  if (name === 'tenant_id' || !isUnique || isChecked || name === 'rule') return column;
  if (type === 'uuid') return isNullable ? 'null' : column;
  if (type === 'text') return `${column} || '-' || n`;
  if (type === 'bytea') return `${column} || decode(lpad(to_hex(n), 8, '0'), 'hex')`;
  return type.includes('int') ? `(select max("${name}") from ${table}) + n` : column;
}

async function tenantTables(client: pg.Client): Promise<Record<string, Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(`
    select c.table_name as "table", c.column_name as name, c.data_type as type, exists (
      select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indisunique and i.indrelid = c.table_name::regclass and a.attname = c.column_name
    ) as "isUnique", exists (
      select from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
      where k.contype = 'c' and k.conrelid = c.table_name::regclass and a.attname = c.column_name
    ) as "isChecked", c.is_nullable = 'YES' as "isNullable"
    from information_schema.columns c
    where c.table_schema = 'public' and c.is_generated = 'NEVER' and c.identity_generation is distinct from 'ALWAYS'
      and (select count(*) from information_schema.columns k
        where k.table_name = c.table_name and k.table_schema = 'public' and k.column_name in ('id', 'tenant_id')) = 2
      and exists (select from pg_tables t where t.tablename = c.table_name and t.schemaname = 'public')
    order by c.table_name, c.ordinal_position`);
  return Object.fromEntries(
    Object.entries(Object.groupBy(rows, ({ table }) => table)).map(([table, columns]) => [table, columns!]),
  );
}

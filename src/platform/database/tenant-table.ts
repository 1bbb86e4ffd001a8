type Verb = 'select' | 'insert' | 'update' | 'delete';
/** For the whole table or for some columns. */
type Privilege = Verb | `${Verb} (${string})`;
interface TableAccess {
  /** For transactions of a tenant. Default: all four. */
  app?: Privilege[];
  /** For bulk work of a tenant. Default: none. */
  bulk?: Privilege[];
  /** For work without a tenant (credential lookups, claims, sweeps). Default: none. */
  system?: Privilege[];
  /** For the sealer of the audit log, across tenants. Default: none. */
  sealer?: Privilege[];
}

const everything: Privilege[] = ['select', 'insert', 'update', 'delete'];

/** The SQL that isolates the rows of tenants: forces row-level security and grants each role only what it needs. */
export function secureTenantTable(table: string, access: TableAccess = {}): string {
  const { app = everything, bulk = [], system = [], sealer = [] } = access;
  const roles = bulk.length ? 'cs_app, cs_bulk' : 'cs_app';
  return `
    ${forcedRowSecurity(table)}
    create policy tenant on ${table} to ${roles} using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
    ${grant(app, table, 'cs_app')}
    ${grant(bulk, table, 'cs_bulk')}
    ${system.length ? systemPolicy(table, system) : ''}
    ${sealer.length ? sealerAccess(table, sealer) : ''}
    ${includeInBackup(table)}`;
}

/** The SQL for a table without a tenant: only `cs_system` may access it. */
export const systemTable = (table: string, privileges: Privilege[]): string => `
    ${forcedRowSecurity(table)}
    ${systemPolicy(table, privileges)}`;

/**
 * The SQL that adds a table to backups. A foreign key of such a table may only reference other tables that are backed
 * up.
 */
export const includeInBackup = (table: string): string => `
    create policy backup on ${table} for select to cs_backup using (true);
    ${grant(['select'], table, 'cs_backup')}`;

const forcedRowSecurity = (table: string) => `
    alter table ${table} enable row level security;
    alter table ${table} force row level security;`;

const systemPolicy = (table: string, privileges: Privilege[]) => `
    create policy system on ${table} to cs_system using (true);
    ${grant(privileges, table, 'cs_system')}`;

/** The SQL that lets the sealer of the audit log use a table. */
export const sealerAccess = (table: string, privileges: Privilege[]): string => `
    create policy sealer on ${table} to cs_sealer using (true);
    ${grant(privileges, table, 'cs_sealer')}`;

const grant = (privileges: Privilege[], table: string, role: string) =>
  privileges.length ? `grant ${privileges.join(', ')} on ${table} to ${role};` : '';

import {
  DataSource,
  type DataSourceOptions,
  type EntitySchema,
  type MigrationInterface,
  type MixedList,
} from 'typeorm';
import { ownerConnection, workConnection, type DatabaseAddresses, type WorkRole } from './addresses.js';
import { SnakeCase } from './naming.js';
import type { RepeatableMigration } from './repeatable-migrations.js';

type Classes = MixedList<(new () => unknown) | EntitySchema>;
export type MigrationList = (new () => MigrationInterface)[];
export interface DatabaseSchema {
  migrations: MigrationList;
  repeatableMigrations: RepeatableMigration[];
}

const common = {
  type: 'postgres',
  synchronize: false,
  installExtensions: false,
  namingStrategy: new SnakeCase(),
} as const;

export const ownerSource = (at: DatabaseAddresses, migrations: MigrationList): DataSource =>
  new DataSource({
    ...common,
    migrations,
    migrationsTransactionMode: 'each',
    extra: { ...ownerConnection(at.owner), max: 2 },
  });

export const workSource = (
  at: DatabaseAddresses,
  role: WorkRole,
  entities: Classes,
  max: number,
  name?: string,
): DataSource =>
  new DataSource({
    ...common,
    entities: entities as DataSourceOptions['entities'],
    extra: { ...workConnection(at.login, role), ...(name && { application_name: name }), max },
  });

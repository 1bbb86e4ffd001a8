import pg, { type Pool } from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntitySchema,
  type MigrationInterface,
  type MixedList,
} from 'typeorm';
import { ownerConnection, workConnection, type DatabaseAddresses, type WorkRole } from './addresses.js';
import { SnakeCaseNamingStrategy } from './naming-strategy.js';
import type { RepeatableMigration } from './repeatable-migrations.js';

type EntityList = MixedList<(new () => unknown) | EntitySchema>;
export type MigrationList = (new () => MigrationInterface)[];
export interface DatabaseSchema {
  migrations: MigrationList;
  repeatableMigrations: RepeatableMigration[];
}

const commonSourceOptions = {
  type: 'postgres',
  driver: pg, // otherwise the bundled server loads a second copy, whose errors `databaseErrorOf` does not recognize
  synchronize: false,
  installExtensions: false,
  namingStrategy: new SnakeCaseNamingStrategy(),
} as const;

export const ownerSource = (at: DatabaseAddresses, migrations: MigrationList): DataSource =>
  new DataSource({
    ...commonSourceOptions,
    migrations,
    migrationsTransactionMode: 'each',
    extra: { ...ownerConnection(at.owner), max: 2 },
  });

export const workSource = (
  at: DatabaseAddresses,
  role: WorkRole,
  entities: EntityList,
  max: number,
  name?: string,
): DataSource =>
  new DataSource({
    ...commonSourceOptions,
    entities: entities as DataSourceOptions['entities'],
    extra: { ...workConnection(at.login, role), ...(name && { application_name: name }), max },
  });

export const poolOf = (source: DataSource): Pool => (source.driver as unknown as { master: Pool }).master;

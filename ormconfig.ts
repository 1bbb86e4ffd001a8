import { DataSource } from 'typeorm';
import { entities } from './src/entities.js';
import { databaseSchema } from './src/migrations.js';
import { ownerConnection } from './src/platform/database/addresses.js';
import { SnakeCaseNamingStrategy } from './src/platform/database/naming-strategy.js';

/** For TypeORM's own command line, against DATABASE_URL. The server migrates by itself, and also applies functions and triggers. */
export default new DataSource({
  type: 'postgres',
  entities,
  migrations: databaseSchema.migrations,
  namingStrategy: new SnakeCaseNamingStrategy(),
  extra: ownerConnection(process.env.DATABASE_URL ?? ''),
});

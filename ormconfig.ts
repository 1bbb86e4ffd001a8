import { DataSource } from 'typeorm';
import { entities } from './src/entities.js';
import { migrations } from './src/migrations.js';
import { ownerConnection } from './src/platform/database/addresses.js';
import { SnakeCase } from './src/platform/database/naming.js';

/** For TypeORM's own command line, against DATABASE_URL. The server migrates by itself. */
export default new DataSource({
  type: 'postgres',
  entities,
  migrations,
  namingStrategy: new SnakeCase(),
  extra: ownerConnection(process.env.DATABASE_URL ?? ''),
});

import type { Type } from '@nestjs/common';
import type { DatabaseSchema } from '../platform/database/sources.js';

/** The rooms without the server: nothing listens, no job runs. */
export interface CommandApplication {
  get<T>(room: Type<T>): T;
  close(): Promise<void>;
}

export interface CommandEnvironment {
  print(line: string): void;
  openApplication(): Promise<CommandApplication>;
  databaseSchema: DatabaseSchema;
}

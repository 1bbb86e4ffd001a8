import type { Type } from '@nestjs/common';
import type { DatabaseSchema } from '../platform/database/sources.js';

/** The application without the server: it listens on no port and runs no jobs. */
export interface CommandApplication {
  get<T>(token: Type<T>): T;
  close(): Promise<void>;
}

export interface CommandEnvironment {
  print(line: string): void;
  openApplication(): Promise<CommandApplication>;
  databaseSchema: DatabaseSchema;
}

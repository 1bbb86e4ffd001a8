import type { Type } from '@nestjs/common';
import type { DatabaseSchema } from '../platform/database/sources.js';

/** The rooms without the server: nothing listens, no job runs. */
export interface House {
  get<T>(room: Type<T>): T;
  close(): Promise<void>;
}

export interface Surroundings {
  say(line: string): void;
  openHouse(): Promise<House>;
  databaseSchema: DatabaseSchema;
}

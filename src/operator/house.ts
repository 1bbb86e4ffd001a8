import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';

/** The rooms without the server: nothing listens, no job runs. */
export interface House {
  get<T>(room: Type<T>): T;
  close(): Promise<void>;
}

export interface Surroundings {
  say(line: string): void;
  openHouse(): Promise<House>;
  migrations: (new () => MigrationInterface)[];
}

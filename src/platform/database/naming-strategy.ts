import { DefaultNamingStrategy } from 'typeorm';

const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Maps `createdAt` to the column `created_at`. Entities name their tables. */
export class SnakeCaseNamingStrategy extends DefaultNamingStrategy {
  override columnName(property: string, customName: string | undefined, prefixes: string[]): string {
    return toSnakeCase([...prefixes, customName ?? property].join('_'));
  }
}

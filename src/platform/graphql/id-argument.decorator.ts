import type { PipeTransform } from '@nestjs/common';
import { Args, ID } from '@nestjs/graphql';
import { isUUID } from 'class-validator';
import { invalidRequest } from '../errors/general.error.js';

/** An id as the argument of a field: what is none of ours is refused before anybody looks for it. In inputs `@IsUUID` says so. */
export const IdArgument = (name = 'id', description?: string) =>
  Args(name, { type: () => ID, ...(description && { description }) }, new IsId(name));

class IsId implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (isUUID(value)) return value;
    throw invalidRequest(`"${this.name}" is not an id of ours.`, {
      errors: [{ pointer: `/${this.name}`, detail: 'must be a UUID' }],
    });
  }
}

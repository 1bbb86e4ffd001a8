import type { PipeTransform } from '@nestjs/common';
import { Args, ID } from '@nestjs/graphql';
import { isUUID } from 'class-validator';
import { invalidRequest } from '../errors/general.error.js';

/** An id as an argument of a field. Rejects malformed ids before any lookup. Inputs use `@IsUUID` instead. */
export const IdArgument = (name = 'id', description?: string) =>
  Args(name, { type: () => ID, ...(description && { description }) }, new IsId(name));

class IsId implements PipeTransform<string, string> {
  constructor(private readonly name: string) {}

  transform(value: string): string {
    if (isUUID(value)) return value;
    throw invalidRequest(`"${this.name}" is not a valid id.`, {
      errors: [{ pointer: `/${this.name}`, detail: 'must be a UUID' }],
    });
  }
}

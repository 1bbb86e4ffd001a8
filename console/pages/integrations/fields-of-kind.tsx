import { Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Disclosure } from '../../kit/disclosure.tsx';
import type { Field, Kind } from './kinds.ts';

interface Props {
  kind: Kind;
  /** A field with a value or an error is always visible. */
  isWanted(field: Field): boolean;
  children(field: Field): ReactNode;
}

const usual = 4;

/** The fields of a connector. Optional fields after the first four are collapsed. */
export function FieldsOf({ kind, isWanted, children }: Props) {
  const fields = kind.fields.filter(({ type, options, required }) => type !== 'choice' || required || options?.length);
  const isFurther = (field: Field, at: number) => at >= usual && !field.required;
  const further = fields.filter(isFurther);
  const shown = (field: Field) => <Fragment key={field.name}>{children(field)}</Fragment>;
  return (
    <>
      {fields.filter((field, at) => !isFurther(field, at)).map(shown)}
      {further.length > 0 && (
        <Disclosure
          label={`${further.length} more settings`}
          openLabel="Fewer settings"
          isForcedOpen={further.some(isWanted)}
        >
          <Stack mt="md">{further.map(shown)}</Stack>
        </Disclosure>
      )}
    </>
  );
}

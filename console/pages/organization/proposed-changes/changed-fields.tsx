import { Stack, Title } from '@mantine/core';
import { TextDifference } from '../../../kit/text-difference.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import type { Change } from './change-query.ts';

/** A side-by-side difference of every field that changes. */
export const ChangedFields = ({ fields }: Pick<Change, 'fields'>) => (
  <Stack gap="lg">
    {fields.map(({ label, before, after }) => (
      <div key={label}>
        <Title order={3} size="h5" mb="xs">
          <Untrusted text={label} />
        </Title>
        <TextDifference before={before ?? ''} now={after ?? ''} heads={['Before', 'After']} />
      </div>
    ))}
  </Stack>
);

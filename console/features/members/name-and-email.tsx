import { Text } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';

/** A member in a table cell. */
export const NameAndEmail = ({ name, email }: { name: string; email: string }) => (
  <>
    <Untrusted text={name} />
    <Text size="xs" c="dimmed" fw={400}>
      <Untrusted text={email} />
    </Text>
  </>
);

import { Text } from '@mantine/core';
import { Untrusted } from '../../../kit/untrusted.tsx';

/** The name of a credential and the visible part of its secret. */
export const NamedCredential = ({ name, hint }: { name: string; hint: string }) => (
  <>
    <Untrusted text={name} />
    <Text size="xs" c="dimmed" ff="monospace" fw={400}>
      {hint}
    </Text>
  </>
);

import { Text } from '@mantine/core';
import { Untrusted } from '../../../kit/untrusted.tsx';

/** By what its maker knows it, and by what it is recognised elsewhere. */
export const NamedCredential = ({ name, hint }: { name: string; hint: string }) => (
  <>
    <Untrusted text={name} />
    <Text size="xs" c="dimmed" ff="monospace" fw={400}>
      {hint}
    </Text>
  </>
);

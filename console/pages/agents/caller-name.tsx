import { Text } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';

interface Caller {
  name: string;
  surface: string;
}

const surfaces: Record<string, string> = { a2a: 'A2A', mcp: 'MCP', api: 'API', cli: 'CLI', console: 'Console' };

/** The caller and the protocol that it used. */
export function CallerName({ caller }: { caller: unknown }) {
  const { name, surface } = caller as Caller;
  return (
    <>
      <Untrusted text={name} />
      <Text size="xs" c="dimmed">
        {surfaces[surface] ?? surface}
      </Text>
    </>
  );
}

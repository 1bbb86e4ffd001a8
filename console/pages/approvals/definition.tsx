import { Box, Code, Text, Title } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';
import type { Exhibit } from './approval-query.ts';

/** The tool in the words that an administrator has confirmed. */
export const Definition = ({ call }: { call: Exhibit }) => (
  <Box component="section" aria-labelledby="definition">
    <Title order={3} id="definition" mb={4}>
      The tool, as it was confirmed
    </Title>
    <Text size="sm" className="verbatim">
      <Untrusted text={call.description || 'It has no description.'} />
    </Text>
    <details className="fine-print">
      <summary>Its arguments (JSON Schema)</summary>
      <Code block className="verbatim">
        <Untrusted text={JSON.stringify(call.inputSchema, null, 2)} />
      </Code>
      <Text size="xs" c="dimmed">
        Definition {call.definitionHash}
      </Text>
    </details>
  </Box>
);

import { Box, Code, Text, Title } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';
import type { ApprovalCall } from './approval-query.ts';

/** The tool definition that an administrator confirmed. */
export const Definition = ({ call }: { call: ApprovalCall }) => (
  <Box component="section" aria-labelledby="definition">
    <Title order={3} id="definition" mb={4}>
      Confirmed tool definition
    </Title>
    <Text size="sm" className="verbatim">
      <Untrusted text={call.description || 'No description.'} />
    </Text>
    <details className="fine-print">
      <summary>Input schema (JSON Schema)</summary>
      <Code block className="verbatim">
        <Untrusted text={JSON.stringify(call.inputSchema, null, 2)} />
      </Code>
      <Text size="xs" c="dimmed">
        SHA-256 {call.definitionHash}
      </Text>
    </details>
  </Box>
);

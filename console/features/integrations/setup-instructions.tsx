import { Box, Stack, Text, Title } from '@mantine/core';
import type { Connector } from './connectors.ts';
import './setup-instructions.css';

/** What to prepare in the other system, and what happens after saving. */
export const SetupInstructions = ({ connector: { setUp, title } }: { connector: Connector }) => (
  <Box component="aside" className="setup-instructions" aria-label={`Before you connect ${title}`}>
    <Title order={2} mb="xs">
      Before you begin
    </Title>
    <Stack gap="xs">
      {setUp.split(/(?<=\.)\s(?=[A-Z])/).map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Stack>
  </Box>
);

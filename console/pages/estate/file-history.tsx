import { Accordion, Badge, Code, Group, Text } from '@mantine/core';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { EstateFile } from './file-query.ts';
import { fileStatus } from './labels.ts';

export const FileHistory = ({ file: { versions } }: { file: EstateFile }) => (
  <Accordion variant="contained">
    {versions.map(({ number, seenAt, isGone, status, entries, problems }) => (
      <Accordion.Item key={number} value={String(number)} bg="var(--sheet)">
        <Accordion.Control>
          <Group gap="xs">
            <Text size="sm">
              Version {number}, seen <When at={seenAt} />
            </Text>
            {isGone ? <Badge color="gray">Removed</Badge> : <StateBadge {...fileStatus[status]} />}
          </Group>
        </Accordion.Control>
        <Accordion.Panel>
          {problems.map(({ place, reason }, at) => (
            <Text key={at} size="sm">
              <Untrusted text={place || 'Whole file'} />: <Untrusted text={reason} />
            </Text>
          ))}
          <Code block tabIndex={0} aria-label={`Version ${number}`} style={{ overflowX: 'auto' }}>
            <Untrusted text={JSON.stringify(entries, null, 2)} />
          </Code>
        </Accordion.Panel>
      </Accordion.Item>
    ))}
  </Accordion>
);

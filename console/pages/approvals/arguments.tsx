import { Box, Button, Code, Group, Paper, Text, Title } from '@mantine/core';
import { IconArrowsMaximize, IconEye, IconQuote } from '@tabler/icons-react';
import { count } from '../../kit/figures.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import type { ApprovalCall } from './approval-query.ts';
import './arguments.css';
import type { RevealedValues, RevealableValue } from './use-revealed-values.ts';

interface Props {
  call: ApprovalCall;
  revealed: RevealedValues;
  /** Absent: the viewer cannot edit the call. */
  onEdit?: () => void;
}

/** All values that the call would send, unchanged and complete. */
export function Arguments({ call, revealed, onEdit }: Props) {
  const { values, hiddenCount, reveal, revealAll } = revealed;
  return (
    <Box component="section" aria-labelledby="arguments">
      <Group justify="space-between" align="baseline" mb="xs">
        <Title order={3} id="arguments">
          Arguments
        </Title>
        <Group gap="xs">
          {hiddenCount > 1 && (
            <Button size="compact-sm" variant="default" onClick={revealAll}>
              Show all {hiddenCount}
            </Button>
          )}
          {onEdit && hiddenCount === 0 && (
            <Button size="compact-sm" variant="default" onClick={onEdit}>
              Edit arguments
            </Button>
          )}
        </Group>
      </Group>
      <Paper className="arguments">
        <Group gap={6} wrap="nowrap" className="arguments-source">
          <IconQuote size={15} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="xs">Text from the requester. Do not follow instructions in it.</Text>
        </Group>
        <dl>
          {values.map((value) => (
            <Value key={value.path} value={value} onReveal={() => reveal(value.path)} />
          ))}
        </dl>
      </Paper>
      <details className="fine-print">
        <summary>Raw arguments ({count(new TextEncoder().encode(call.arguments).length)} bytes)</summary>
        {hiddenCount ? (
          <Text size="sm" c="dimmed">
            Show all collapsed and hidden values first.
          </Text>
        ) : (
          <Code block className="verbatim">
            <Untrusted text={call.arguments} />
          </Code>
        )}
        <Text size="xs" c="dimmed">
          SHA-256 {call.argumentsHash}
        </Text>
      </details>
    </Box>
  );
}

function Value({ value: { path, kind, text, hiddenReason }, onReveal }: { value: RevealableValue; onReveal(): void }) {
  const name = path || 'Arguments';
  return (
    <div className="argument">
      <dt>
        <Untrusted text={name} />
        {kind !== 'text' && <small> {kind}</small>}
      </dt>
      <dd>
        {hiddenReason ? (
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="light"
              leftSection={hiddenReason === 'collapsed' ? <IconArrowsMaximize size={14} /> : <IconEye size={14} />}
              onClick={onReveal}
              aria-label={`${hiddenReason === 'collapsed' ? 'Expand' : 'Show'} ${visible(name)}`}
            >
              {hiddenReason === 'collapsed' ? 'Expand' : 'Show'}
            </Button>
            <Text size="xs" c="dimmed">
              {hiddenReason === 'collapsed' ? lengthOf(text) : 'May contain a secret.'}
            </Text>
          </Group>
        ) : (
          <span className="verbatim">{text ? <Untrusted text={text} /> : <i>Empty text</i>}</span>
        )}
      </dd>
    </div>
  );
}

function lengthOf(text: string): string {
  const lines = text.split('\n').length;
  return `${count(text.length)} characters${lines > 1 ? `, ${count(lines)} lines` : ''}`;
}

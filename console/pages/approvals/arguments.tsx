import { Alert, Box, Button, Code, Group, Paper, Text, Title } from '@mantine/core';
import { IconArrowsMaximize, IconEye, IconLockOff, IconQuote } from '@tabler/icons-react';
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
  const { hiddenCount, revealAll } = revealed;
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
      {call.arguments === null ? (
        <Alert color="red" variant="light" icon={<IconLockOff aria-hidden />} title="Arguments can't be decrypted">
          <Text size="sm">
            They are damaged or encrypted with another master key, so no one can see what this call would do. Deny it,
            or ask the operator of the server to restore the former key.
          </Text>
        </Alert>
      ) : (
        <Values canonical={call.arguments} argumentsHash={call.argumentsHash} revealed={revealed} />
      )}
    </Box>
  );
}

interface ValuesProps {
  canonical: string;
  argumentsHash: string;
  revealed: RevealedValues;
}

const Values = ({ canonical, argumentsHash, revealed: { values, hiddenCount, reveal } }: ValuesProps) => (
  <>
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
      <summary>Raw arguments ({count(new TextEncoder().encode(canonical).length)} bytes)</summary>
      {hiddenCount ? (
        <Text size="sm" c="dimmed">
          Show all collapsed and hidden values first.
        </Text>
      ) : (
        <Code block className="verbatim">
          <Untrusted text={canonical} />
        </Code>
      )}
      <Text size="xs" c="dimmed">
        SHA-256 {argumentsHash}
      </Text>
    </details>
  </>
);

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

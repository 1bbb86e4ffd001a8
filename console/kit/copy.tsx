import { ActionIcon, Alert, Group, Input, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react';
import { Code } from '@mantine/core';
import { Fragment } from 'react';
import { monospaceInput } from './monospace-input.ts';
import { Untrusted } from './untrusted.tsx';
import { useCopy } from './use-copy.ts';

function Copy({ value, what }: { value: string; what: string }) {
  const { copied, copy } = useCopy();
  const label = copied ? 'Copied' : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" flex="none" onClick={() => copy(value)} aria-label={label}>
        {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A value to copy elsewhere. */
export const CopyField = ({ label, value, hint }: { label: string; value: string; hint?: string }) => (
  <TextInput
    label={label}
    description={hint}
    value={value}
    readOnly
    styles={{ input: monospaceInput }}
    onFocus={({ currentTarget }) => currentTarget.select()}
    rightSection={<Copy value={value} what={label} />}
  />
);

/** A secret that is shown only once. */
export const SecretOnce = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <Alert color="yellow" variant="light" icon={<IconKey aria-hidden />} title={note}>
    <CopyField label={label} value={value} />
  </Alert>
);

/** In our own text, "…" is a placeholder and not a suspicious character. */
const WithPlaceholders = ({ text }: { text: string }) =>
  text.split('…').map((piece, at) => (
    <Fragment key={at}>
      {at > 0 && '…'}
      <Untrusted text={piece} />
    </Fragment>
  ));

/** Lines to paste elsewhere. */
export const Snippet = ({ text, label }: { text: string; label?: string }) => (
  <Stack gap={4}>
    {label && (
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Input.Label>{label}</Input.Label>
        <Copy value={text} what={label} />
      </Group>
    )}
    <Group align="flex-start" gap={4} wrap="nowrap">
      <Code block flex={1} tabIndex={0} aria-label={label ?? 'Snippet'} style={{ overflowX: 'auto' }}>
        <WithPlaceholders text={text} />
      </Code>
      {!label && <Copy value={text} what="snippet" />}
    </Group>
  </Stack>
);

/** A short value within text. */
export const CopyText = ({ value, what }: { value: string; what: string }) => (
  <Group gap={2} wrap="nowrap" display="inline-flex">
    <Text span ff="monospace" size="sm">
      {value}
    </Text>
    <Copy value={value} what={what} />
  </Group>
);

import { ActionIcon, Group, TextInput, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy, IconEye, IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { monospaceInput } from '../../../kit/monospace-input.ts';
import { useMay } from '../../../kit/me.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { useCopy } from '../../../kit/use-copy.ts';
import { revealA2aKey } from './create-key.ts';
import type { ShownKey, UsableKey } from './shown-key.ts';

interface Props {
  apiKey: UsableKey;
  shown: ShownKey | null;
  /** Null: hides the key. */
  onShow(key: ShownKey | null): void;
}

/** The key, masked until it is shown. To show or copy it, the server asks for a recent sign-in and records it. */
export function ApiKeyField({ apiKey: { id, hint }, shown, onShow }: Props) {
  const mayReveal = useMay()('keys:manage');
  const clipboard = useCopy();
  const reveal = useChange(revealA2aKey, { isLoud: true });
  const input = useRef<HTMLInputElement>(null);
  const shownKey = shown?.key;
  useEffect(() => {
    if (shownKey) input.current?.focus();
  }, [shownKey]);
  const show = async (): Promise<string | null> => {
    const data = await reveal.send({ id });
    if (!data) return null;
    onShow({ id, key: data.revealA2aKey.key });
    return data.revealA2aKey.key;
  };
  const copy = async () => {
    const key = shownKey ?? (await show());
    if (key) clipboard.copy(key);
  };
  return (
    <TextInput
      ref={input}
      label="API key"
      readOnly
      value={shownKey ?? `${hint.replace('…', '')}••••••••••••`}
      styles={{ input: { ...monospaceInput, paddingInlineEnd: '6rem' } }}
      onFocus={({ currentTarget }) => shownKey && currentTarget.select()}
      rightSectionWidth="max-content"
      rightSectionPointerEvents="all"
      rightSection={
        mayReveal && (
          <Group gap={0} wrap="nowrap">
            <IconAction
              label={shownKey ? 'Hide API key' : 'Show API key'}
              isBusy={reveal.isSending}
              onClick={() => (shownKey ? onShow(null) : void show())}
            >
              {shownKey ? <IconEyeOff size={16} /> : <IconEye size={16} />}
            </IconAction>
            <IconAction
              label={clipboard.copied ? 'Copied' : 'Copy API key'}
              isBusy={reveal.isSending}
              onClick={() => void copy()}
            >
              {clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </IconAction>
          </Group>
        )
      }
    />
  );
}

interface ActionProps {
  label: string;
  isBusy: boolean;
  onClick(): void;
  children: ReactNode;
}

const IconAction = ({ label, isBusy, onClick, children }: ActionProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" aria-label={label} disabled={isBusy} onClick={onClick}>
      {children}
    </ActionIcon>
  </Tooltip>
);

import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';

interface Props {
  value: string[];
  onChange(urls: string[]): void;
  /** The error of the whole list, or of one entry. */
  fault(field: string): string | undefined;
}

const maxUrls = 20;

/** One field for each URL. Pasted lines become separate fields. */
export function CallbackUrls({ value, onChange, fault }: Props) {
  const set = (at: number, text: string) => onChange(value.flatMap((url, nth) => (nth === at ? lines(text) : [url])));
  return (
    <Input.Wrapper
      label="Callback URLs"
      description="Users return to these URLs. They must match exactly: https://, no wildcards, no fragment."
      error={fault('redirectUris')}
      required
    >
      <Stack gap="xs" mt="xs">
        {value.map((url, at) => (
          <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              flex={1}
              aria-label={`Callback URL ${at + 1}`}
              type="url"
              required={value.length === 1}
              placeholder="https://product.example/callback"
              value={url}
              error={fault(`redirectUris/${at}`)}
              onChange={({ currentTarget }) => set(at, currentTarget.value)}
              onPaste={(event) => {
                const pasted = event.clipboardData.getData('text');
                if (url || !pasted.trim().includes('\n')) return;
                event.preventDefault();
                set(at, pasted);
              }}
            />
            {value.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={`Remove callback URL ${at + 1}`}
                onClick={() => onChange(value.filter((_, nth) => nth !== at))}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {value.length < maxUrls && (
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange([...value, ''])}
            >
              Add callback URL
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const lines = (text: string): string[] => {
  const parts = text.split('\n').map((line) => line.trim());
  return parts.length > 1 ? parts.filter(Boolean) : parts;
};

import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';

interface Props {
  value: string[];
  onChange(urls: string[]): void;
  /** What is wrong with all of them, or with the nth. */
  fault(field: string): string | undefined;
}

const most = 20;

/** Complete addresses, one a line. What is pasted as several lines becomes several. */
export function CallbackUrls({ value, onChange, fault }: Props) {
  const set = (at: number, text: string) => onChange(value.flatMap((url, nth) => (nth === at ? lines(text) : [url])));
  return (
    <Input.Wrapper
      label="Callback URLs"
      description="Where people are sent back to, compared character by character: https://, no patterns, no fragment."
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
        {value.length < most && (
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange([...value, ''])}
            >
              Add another
            </Button>
          </div>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const lines = (text: string): string[] => {
  const found = text.split('\n').map((line) => line.trim());
  return found.length > 1 ? found.filter(Boolean) : found;
};

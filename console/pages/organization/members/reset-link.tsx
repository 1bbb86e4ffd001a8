import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { LinkOnce } from './link-once.tsx';
import type { StepProps } from './step.ts';

const createPasswordReset = graphql(`
  mutation CreatePasswordReset($input: PasswordResetInput!) {
    createPasswordReset(input: $input) {
      url
      link {
        id
      }
    }
  }
`);

export const ResetLink = ({ opened, onClose, member }: StepProps) => (
  <Modal opened={opened} onClose={onClose} title="Make a password-reset link" closeOnClickOutside={false}>
    {opened && <ResetForm memberId={member.id} onClose={onClose} />}
  </Modal>
);

function ResetForm({ memberId, onClose }: { memberId: string; onClose(): void }) {
  const [forgetsPasskeys, setForgets] = useState(false);
  const [url, setUrl] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(createPasswordReset, {
    onDone: ({ createPasswordReset }) => setUrl(createPasswordReset.url),
  });
  if (url)
    return (
      <LinkOnce url={url} note="Hand it over yourself: whoever uses it is that member from then on." onDone={onClose} />
    );
  return (
    <Stack>
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm">
        With the link they choose a new password; it ends their sessions and withdraws earlier links. Whoever makes one
        and whoever uses it count as perhaps one person in approvals for a day.
      </Text>
      <Checkbox
        label="Forget their passkeys, too"
        description="Only if the passkeys were lost."
        checked={forgetsPasskeys}
        onChange={({ currentTarget }) => setForgets(currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isSending} onClick={() => send({ input: { memberId, forgetsPasskeys } })}>
          Make the link
        </Button>
      </Group>
    </Stack>
  );
}

import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { OneTimeLink } from '../../../features/members/one-time-link.tsx';
import type { MemberDialogProps } from './member-dialog.ts';

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

export const ResetLink = ({ opened, onClose, member }: MemberDialogProps) => (
  <Modal opened={opened} onClose={onClose} title="Create password reset link" closeOnClickOutside={false}>
    {opened && <ResetForm memberId={member.id} onClose={onClose} />}
  </Modal>
);

function ResetForm({ memberId, onClose }: { memberId: string; onClose(): void }) {
  const [removesPasskeys, setForgetsPasskeys] = useState(false);
  const [url, setUrl] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(createPasswordReset, {
    onDone: ({ createPasswordReset }) => setUrl(createPasswordReset.url),
  });
  if (url)
    return (
      <OneTimeLink
        url={url}
        note="Send the link to the member. Anyone who uses it can sign in as them."
        onDone={onClose}
      />
    );
  return (
    <Stack>
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm">
        The member sets a new password with this link, which ends their sessions and revokes earlier links. For 24
        hours, approvals treat you and the member as possibly the same person.
      </Text>
      <Checkbox
        label="Also remove their passkeys"
        description="Only if the member lost their passkeys."
        checked={removesPasskeys}
        onChange={({ currentTarget }) => setForgetsPasskeys(currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isSending} onClick={() => send({ input: { memberId, removesPasskeys } })}>
          Create reset link
        </Button>
      </Group>
    </Stack>
  );
}

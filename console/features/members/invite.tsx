import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { GroupPicker } from './group-picker.tsx';
import { type Role, RoleBoxes } from './roles.tsx';
import { OneTimeLink } from './one-time-link.tsx';

const inviteMember = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      url
      link {
        id
      }
    }
  }
`);

interface Props {
  opened: boolean;
  onClose(): void;
  onInvited(): void;
}

export const Invite = ({ opened, onClose, onInvited }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Invite member" size="lg" closeOnClickOutside={false}>
    {opened && <InviteForm onInvited={onInvited} onDone={onClose} onCancel={onClose} />}
  </Modal>
);

interface FormProps {
  /** Initial selection. */
  roles?: Role[];
  onInvited(): void;
  /** Called after the link was shown. */
  onDone(): void;
  onCancel(): void;
}

/** Form of an invitation; then shows its link. */
export function InviteForm({ roles = ['member'], onInvited, onDone, onCancel }: FormProps) {
  const [url, setUrl] = useState<string | null>(null);
  const form = useForm({ initialValues: { email: '', name: '', roles, groupIds: [] as string[] } });
  const { send, problem, isSending } = useChange(inviteMember, {
    onDone: ({ inviteMember }) => {
      setUrl(inviteMember.url);
      onInvited();
    },
  });
  if (url)
    return (
      <OneTimeLink
        url={url}
        note={`Send the link to ${form.values.email}. The first person who opens it becomes that member.`}
        onDone={onDone}
      />
    );
  const isFieldError = problem?.errors.some(({ pointer }) =>
    ['/email', '/name'].some((field) => pointer.endsWith(field)),
  );
  return (
    <form onSubmit={form.onSubmit(({ name, ...input }) => send({ input: { ...input, name: name.trim() || null } }))}>
      <Stack>
        {problem && !isFieldError && <ProblemNote problem={problem} />}
        <TextInput
          label="Email address"
          type="email"
          required
          data-autofocus
          {...form.getInputProps('email')}
          error={faultOf(problem, 'email')}
        />
        <TextInput
          label="Name"
          description="Optional. The member can change it when they accept."
          {...form.getInputProps('name')}
          error={faultOf(problem, 'name')}
        />
        <RoleBoxes label="Roles" value={form.values.roles} onChange={(roles) => form.setFieldValue('roles', roles)} />
        <GroupPicker
          label="Groups"
          description="Members get the access of their groups."
          value={form.values.groupIds}
          onChange={(groupIds) => form.setFieldValue('groupIds', groupIds)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending}>
            Create invite link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

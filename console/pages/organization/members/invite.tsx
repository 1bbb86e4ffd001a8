import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { GroupPicker } from '../group-picker.tsx';
import { type Role, RoleBoxes } from '../roles.tsx';
import { LinkOnce } from './link-once.tsx';

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
  <Modal opened={opened} onClose={onClose} title="Invite somebody" size="lg" closeOnClickOutside={false}>
    {opened && <InviteForm onInvited={onInvited} onDone={onClose} onCancel={onClose} />}
  </Modal>
);

interface FormProps {
  /** Offered first. */
  roles?: Role[];
  onInvited(): void;
  /** The link was copied. */
  onDone(): void;
  onCancel(): void;
}

/** Asks whom, then shows the link that lets them in. */
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
      <LinkOnce
        url={url}
        note={`Hand it to ${form.values.email} yourself: whoever opens it first becomes that member.`}
        onDone={onDone}
      />
    );
  const isOfAField = problem?.errors.some(({ pointer }) =>
    ['/email', '/name'].some((field) => pointer.endsWith(field)),
  );
  return (
    <form onSubmit={form.onSubmit(({ name, ...input }) => send({ input: { ...input, name: name.trim() || null } }))}>
      <Stack>
        {problem && !isOfAField && <ProblemNote problem={problem} />}
        <TextInput
          label="E-mail address"
          type="email"
          required
          data-autofocus
          error={faultOf(problem, 'email')}
          {...form.getInputProps('email')}
        />
        <TextInput
          label="Name"
          description="They may change it when they accept."
          error={faultOf(problem, 'name')}
          {...form.getInputProps('name')}
        />
        <RoleBoxes label="Roles" value={form.values.roles} onChange={(roles) => form.setFieldValue('roles', roles)} />
        <GroupPicker
          label="Groups"
          description="What a group may use, its members may use."
          value={form.values.groupIds}
          onChange={(groupIds) => form.setFieldValue('groupIds', groupIds)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending}>
            Make the link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { graphql } from '../../../api/graphql.ts';
import { useChange } from '../../../kit/use-change.tsx';
import { Rename } from '../rename.tsx';
import type { MemberDialogProps } from './member-dialog.ts';

const renameMember = graphql(`
  mutation RenameMember($input: RenameMemberInput!) {
    renameMember(input: $input) {
      id
      name
    }
  }
`);

export function RenameMember({ member: { id, name }, opened, onClose }: MemberDialogProps) {
  const change = useChange(renameMember, { done: 'Member renamed.', onDone: onClose });
  return (
    <Rename
      opened={opened}
      onClose={onClose}
      what="member"
      name={name}
      change={change}
      onSave={(to) => change.send({ input: { memberId: id, name: to } })}
    />
  );
}

import { ActionIcon, Anchor, Group, Select, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { addGroupMember, removeGroupMember } from '../groups/membership.ts';
import { useGroupChoices } from '../../../features/members/group-picker.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Member } from './member-query.ts';

/** Changes are saved immediately. */
export function MemberGroups({ member: { id, groups } }: { member: Member }) {
  const choices = useGroupChoices().filter(({ value }) => !groups.some((group) => group.id === value));
  const add = useChange(addGroupMember, { done: 'Added to group.', isLoud: true });
  const removeFromGroup = useChange(removeGroupMember, { done: 'Removed from group.', isLoud: true });
  return (
    <Section title="Groups" lead="Groups give access to configurations and documents, and can decide approvals.">
      <Group gap="sm" mb="md">
        {groups.map((group) => (
          <Group key={group.id} gap={2} wrap="nowrap">
            <Anchor component={Link} to={`/organization/groups/${group.id}`} size="sm">
              <Untrusted text={group.name} />
            </Anchor>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Remove from ${visible(group.name)}`}
              onClick={() => removeFromGroup.send({ input: { groupId: group.id, memberId: id } })}
            >
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ))}
        {!groups.length && (
          <Text size="sm" c="dimmed">
            No groups.
          </Text>
        )}
      </Group>
      {choices.length > 0 && (
        <Select
          label="Add to group"
          placeholder="Select a group"
          maw="20rem"
          searchable
          value={null}
          data={choices}
          disabled={add.isSending}
          onChange={(groupId) => groupId && void add.send({ input: { groupId, memberId: id } })}
        />
      )}
    </Section>
  );
}

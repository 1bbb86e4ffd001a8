import { Group, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Substitutes } from '../../../features/members/substitutes.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { BreakGlass } from './break-glass.tsx';
import { Independence } from './independence.tsx';
import { MemberActions } from './member-actions.tsx';
import { MemberGroups } from './member-groups.tsx';
import { type Member, memberQuery } from './member-query.ts';
import { MemberRoles } from './member-roles.tsx';
import { SignInMethods } from './sign-in-methods.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query: memberQuery, variables: { id } });
  useChangeEvents('organization', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ member }) => <MemberPage key={member.id} member={member} />}
    </Loaded>
  );
}

function MemberPage({ member }: { member: Member }) {
  const { name, email, status, joinedAt } = member;
  return (
    <Page
      title={visible(name)}
      heading={
        <Group gap="sm">
          <Untrusted text={name} />
          <StateBadge state={status} />
        </Group>
      }
      lead={
        <>
          <Untrusted text={email} />, joined <When at={joinedAt} />
        </>
      }
      trail={[['Members', '/organization/members']]}
      actions={status !== 'removed' && <MemberActions member={member} />}
    >
      {status === 'removed' ? (
        <Text size="sm">
          This member was removed permanently. Their activity stays in the audit log. To add them again, send a new
          invitation.
        </Text>
      ) : (
        <>
          <MemberRoles member={member} />
          <MemberGroups member={member} />
          <Substitutes member={member} />
          <SignInMethods memberId={member.id} />
          <Independence member={member} />
          <BreakGlass member={member} />
        </>
      )}
    </Page>
  );
}

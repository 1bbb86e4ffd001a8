import { Group, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useNews } from '../../../api/live.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { Independence } from './independence.tsx';
import { MemberActions } from './member-actions.tsx';
import { MemberGroups } from './member-groups.tsx';
import { MemberRoles } from './member-roles.tsx';
import { WaysIn } from './ways-in.tsx';

const query = graphql(`
  query Member($id: ID!) {
    member(id: $id) {
      id
      name
      email
      roles
      status
      joinedAt
      groups {
        id
        name
      }
    }
  }
`);
export type Member = ResultOf<typeof query>['member'];

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useQuery({ query, variables: { id } });
  useNews('organization', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ member }) => <Shown key={member.id} member={member} />}
    </Loaded>
  );
}

function Shown({ member }: { member: Member }) {
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
          Was removed for good: what they did stays in the records, and only a new invitation brings them back.
        </Text>
      ) : (
        <>
          <MemberRoles member={member} />
          <MemberGroups member={member} />
          <WaysIn memberId={member.id} />
          <Independence member={member} />
        </>
      )}
    </Page>
  );
}

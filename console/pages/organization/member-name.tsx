import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

const query = graphql(`
  query MemberName($id: ID!) {
    member(id: $id) {
      id
      name
    }
  }
`);

/** The name of a member by id, from the cache where possible. */
export function MemberName({ id, fallback = '–' }: { id: string | null; fallback?: string }) {
  const mayQuery = useMay()('members:manage');
  const [{ data }] = useQuery({ query, variables: { id: id! }, pause: !id || !mayQuery, requestPolicy: 'cache-first' });
  if (!id || !mayQuery)
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    );
  if (!data) return null;
  return (
    <Anchor component={Link} to={`/organization/members/${id}`} inherit>
      <Untrusted text={data.member.name} />
    </Anchor>
  );
}

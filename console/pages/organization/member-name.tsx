import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../app/me.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';

const query = graphql(`
  query MemberName($id: ID!) {
    member(id: $id) {
      id
      name
    }
  }
`);

/** Who an id stands for; asked for once, however often it is shown. */
export function MemberName({ id, nobody = '–' }: { id: string | null; nobody?: string }) {
  const mayAsk = useMay()('members:manage');
  const [{ data }] = useQuery({ query, variables: { id: id! }, pause: !id || !mayAsk, requestPolicy: 'cache-first' });
  if (!id || !mayAsk)
    return (
      <Text span inherit c="dimmed">
        {nobody}
      </Text>
    );
  if (!data) return null;
  return (
    <Anchor component={Link} to={`/organization/members/${id}`} inherit>
      <Untrusted text={data.member.name} />
    </Anchor>
  );
}

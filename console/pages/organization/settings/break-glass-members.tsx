import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { graphql } from '../../../api/graphql.ts';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query BreakGlassMembers {
    breakGlassRights {
      memberId
      grantedAt
      member {
        name
      }
      granter {
        name
      }
    }
  }
`);

/** Everyone who may override pending approvals. The page of a member grants and revokes the right. */
export function BreakGlassMembers() {
  const [{ data }, reload] = useQuery({ query });
  useChangeEvents('organization', () => reload({ requestPolicy: 'network-only' }));
  if (!data) return null;
  return (
    <Section
      title="Break-glass rights"
      lead="Members who can override pending approvals in an emergency. Grant and revoke the rights on the page of a member."
    >
      {data.breakGlassRights.length ? (
        <List size="sm">
          {data.breakGlassRights.map(({ memberId, grantedAt, member, granter }) => (
            <List.Item key={memberId}>
              <Anchor component={Link} to={`/organization/members/${memberId}`} inherit>
                <Untrusted text={member?.name ?? 'Former member'} />
              </Anchor>
              , granted by <Untrusted text={granter?.name ?? 'a former member'} /> <When at={grantedAt} />
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm">No member has break-glass rights.</Text>
      )}
    </Section>
  );
}

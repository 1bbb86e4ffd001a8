import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { Untrusted } from '../../kit/untrusted.tsx';

const query = graphql(`
  query KnowledgeReaders {
    groups(first: 200) {
      nodes {
        id
        name
      }
    }
    configurations(first: 200) {
      nodes {
        id
        name
        connections {
          id
        }
        groups {
          id
          name
        }
      }
    }
  }
`);

/** Who there is to read something: groups, and the configurations through which they do. */
export const useReaders = () => useQuery({ query });

interface Props {
  connectionId: string;
  /** Null: everybody who may use its connection. */
  groupIds: readonly string[] | null;
}

/** Who may see a document, and through which configurations. */
export function Readers({ connectionId, groupIds }: Props) {
  const [{ data }] = useReaders();
  if (!data) return null;
  const through = data.configurations.nodes.filter(({ connections }) =>
    connections.some(({ id }) => id === connectionId),
  );
  const nameOf = (id: string) => data.groups.nodes.find((group) => group.id === id)?.name ?? 'a group that is gone';
  return (
    <>
      <Text size="sm">
        {groupIds ? (
          groupIds.length ? (
            <>
              Only the groups <Names of={groupIds.map(nameOf)} />, through:
            </>
          ) : (
            'Nobody: the groups that it is shared with do not exist here.'
          )
        ) : (
          'Everybody who may use:'
        )}
      </Text>
      {through.length ? (
        <List size="sm" mt={4}>
          {through.map(({ id, name, groups }) => (
            <List.Item key={id}>
              <Anchor component={Link} to={`/agents/capabilities/configurations/${id}`} inherit>
                <Untrusted text={name} />
              </Anchor>{' '}
              ({groups.length ? <Names of={groups.map(({ name }) => name)} /> : 'no group yet'})
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm" c="dimmed">
          No configuration has this source, so nobody finds it yet.
        </Text>
      )}
    </>
  );
}

const Names = ({ of }: { of: readonly string[] }) =>
  of.map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <Untrusted text={name} />
    </span>
  ));
